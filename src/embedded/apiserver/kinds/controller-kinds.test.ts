import { describe, expect, it } from "vitest";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { cronJob } from "./batch/cron-job.ts";
import { csiDriver } from "./storage/csi-driver.ts";
import { csiNode } from "./storage/csi-node.ts";
import { replicationController } from "./core/replication-controller.ts";
import { create, row, update } from "./testing/run-strategy.ts";
import { volumeAttachment } from "./storage/volume-attachment.ts";
import { volumeAttributesClass } from "./storage/volume-attributes-class.ts";

const pods = { containers: [{ name: "c", image: "i" }] };

describe("CronJob", () => {
  const body = (spec: object = {}, job: object = {}): Record<string, unknown> => ({
    spec: {
      schedule: "* * * * *",
      jobTemplate: { spec: { template: { spec: { ...pods, restartPolicy: "Never" } }, ...job } },
      ...spec,
    },
  });

  it("gets its defaults, but not those of its jobs", () => {
    const { object, faults } = create(cronJob, body());
    expect(faults).toEqual([]);
    expect(object.spec).toMatchObject({
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    expect(object).not.toHaveProperty("spec.jobTemplate.spec.backoffLimit");
    expect(row(cronJob, object)).toMatchObject({
      Schedule: "* * * * *",
      Timezone: "<none>",
      Suspend: "False",
      Images: "i",
      Selector: "<none>",
    });
  });

  it.each([
    [{ concurrencyPolicy: "Odd" }, {}, "spec.concurrencyPolicy"],
    [{}, { parallelism: -1 }, "spec.jobTemplate.spec.parallelism"],
    [{}, { manualSelector: true }, "spec.jobTemplate.spec.manualSelector"],
    [{}, { template: { spec: pods } }, "spec.jobTemplate.spec.template.spec.restartPolicy"],
  ])("%j with jobs of %j is refused at %s", (spec, job, field) => {
    expect(create(cronJob, body(spec, job)).faults.map((fault) => fault.split(":")[0])).toEqual([field]);
  });

  it.each([
    ["UTC", 0],
    ["America/New_York", 0],
    ["", 1],
    ["Local", 1],
    ["Odd/Zone", 1],
    ["+01:00", 1],
    ["a/../b", 1],
  ])("in the time zone %j has %i faults", (timeZone, faults) => {
    expect(cronJob.strategy.validateCreate?.(create(cronJob, body({ timeZone })).object)).toHaveLength(faults);
  });

  it("may keep a time zone in its schedule on update", () => {
    const schedule = "TZ=UTC * * * * *";
    const { object: old } = create(cronJob, body({ schedule }));
    expect(cronJob.strategy.validateCreate?.(old)).toHaveLength(1);
    expect(update(cronJob, old, { spec: { suspend: true } }).faults).toEqual([]);
    expect(update(cronJob, old, { spec: { timeZone: "UTC" } }).faults).toHaveLength(1);
  });
});

describe("ReplicationController", () => {
  it("defaults its selector to the labels of its template", () => {
    const template = { metadata: { labels: { b: "1", a: "2" } }, spec: pods };
    const { object, faults } = create(replicationController, { spec: { template } });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({
      metadata: { labels: { a: "2", b: "1" } },
      spec: { replicas: 1, selector: { a: "2", b: "1" } },
    });
    expect(row(replicationController, object)).toMatchObject({ Desired: 1, Selector: "a=2,b=1" });
  });

  it("requires a template that its selector matches", () => {
    expect(create(replicationController, { spec: {} }).faults).toEqual([
      "spec.selector: Required value",
      "spec.template: Required value",
    ]);
    const spec = { selector: { constructor: "x" }, template: { spec: pods } };
    expect(create(replicationController, { spec }).faults).toEqual([
      "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
    ]);
  });
});

describe("HorizontalPodAutoscaler", () => {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
  const made = (spec: object) => create(horizontalPodAutoscaler, { spec: { scaleTargetRef, maxReplicas: 3, ...spec } });
  const pod = (averageValue: string): object => ({
    type: "Pods",
    pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue } },
  });

  it("defaults to CPU utilization", () => {
    const { object, faults } = made({ behavior: {} });
    expect(faults).toEqual([]);
    expect(object.spec).toMatchObject({
      minReplicas: 1,
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max" },
        scaleDown: { policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
      },
    });
    expect(row(horizontalPodAutoscaler, object)).toMatchObject({
      Reference: "Deployment/d",
      Targets: "cpu: <unknown>/80%",
      MaxPods: 3,
    });
  });

  it("shows two of its metrics", () => {
    const { object } = made({ metrics: [pod("1"), pod("2"), pod("3")] });
    object.status = { currentMetrics: [{ type: "Pods", pods: { current: { averageValue: "7" } } }] };
    expect(row(horizontalPodAutoscaler, object)).toMatchObject({ Targets: "7/1, <unknown>/2 + 1 more..." });
  });

  it.each<[object, string[]]>([
    [{ minReplicas: 0, maxReplicas: 0 }, ["spec.minReplicas", "spec.maxReplicas", "spec.metrics"]],
    [
      { scaleTargetRef: { kind: "", name: "a/b" } },
      ["spec.scaleTargetRef.kind", "spec.scaleTargetRef.name", "spec.scaleTargetRef.apiVersion"],
    ],
    [{ metrics: [{ type: "Resource" }] }, ["spec.metrics[0].resource"]],
    [{ metrics: [pod("-1")] }, ["spec.metrics[0].pods.target.averageValue"]],
    [{ metrics: [{ ...pod("1"), type: "Object" }] }, ["spec.metrics[0].object"]],
    [
      { behavior: { scaleUp: { stabilizationWindowSeconds: 3601, selectPolicy: "Odd" } } },
      ["spec.behavior.scaleUp.stabilizationWindowSeconds", "spec.behavior.scaleUp.selectPolicy"],
    ],
  ])("%j is refused at %j", (spec, fields) => {
    expect(made(spec).faults.map((fault) => fault.slice(0, fault.indexOf(": ")))).toEqual(fields);
  });
});

describe("kinds of CSI drivers", () => {
  const attached = { attacher: "d.example", nodeName: "n", source: { persistentVolumeName: "v" } };

  it("an attachment has one volume and is immutable", () => {
    const { object, faults } = create(volumeAttachment, { spec: attached, status: { attached: true } });
    expect(faults).toEqual([]);
    expect(row(volumeAttachment, object)).toMatchObject({ PV: "v", Node: "n", Attached: false });
    expect(update(volumeAttachment, object, { spec: { nodeName: "m" } }).faults).toEqual([
      'spec: Invalid value: {"Attacher":"d.example","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
    ]);
    expect(create(volumeAttachment, { spec: { ...attached, source: {} } }).faults).toEqual([
      "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
    ]);
    const inlineVolumeSpec = { accessModes: ["ReadWriteOnce"], nfs: { server: "s", path: "/p" }, capacity: { a: "1" } };
    expect(create(volumeAttachment, { spec: { ...attached, source: { inlineVolumeSpec } } }).faults).toEqual([
      "spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes",
      "spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes",
    ]);
  });

  it("tokens of a driver have distinct audiences and a minimum duration", () => {
    const tokenRequests = [{ audience: "a", expirationSeconds: 1 }, { audience: "a" }];
    expect(create(csiDriver, { spec: { tokenRequests } }).faults).toEqual([
      "spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes",
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
    ]);
    const { object } = create(csiDriver, { spec: {} });
    expect(row(csiDriver, object)).toMatchObject({
      AttachRequired: true,
      TokenRequests: "<unset>",
      Modes: "Persistent",
    });
    expect(update(csiDriver, object, { spec: { podInfoOnMount: true } }).object.metadata.generation).toBe(1);
    expect(update(csiDriver, object, { spec: { attachRequired: false } }).faults).toHaveLength(1);
  });

  it("a driver of a node is immutable, except for allocatable", () => {
    const driver = { name: "d.example", nodeID: "n", topologyKeys: ["zone"] };
    const { object, faults } = create(csiNode, { spec: { drivers: [driver] } });
    expect(faults).toEqual([]);
    const change = (fields: object): string[] =>
      update(csiNode, object, { spec: { drivers: [{ ...driver, ...fields }] } }).faults;
    expect(change({ allocatable: { count: 3 } })).toEqual([]);
    expect(change({ nodeID: "m" })).toHaveLength(1);
    expect(create(csiNode, { spec: { drivers: [driver, driver] } }).faults).toEqual([
      'spec.drivers[1].name: Duplicate value: "d.example"',
    ]);
  });

  it("a VolumeAttributesClass requires parameters, which are immutable", () => {
    expect(create(volumeAttributesClass, { driverName: "d.example" }).faults).toEqual([
      "parameters: Required value: must contain at least one key/value pair",
    ]);
    const { object } = create(volumeAttributesClass, { driverName: "d.example", parameters: { a: "b" } });
    expect(object.metadata.finalizers).toEqual(["kubernetes.io/vac-protection"]);
    expect(update(volumeAttributesClass, object, { parameters: { a: "c" } }).faults).toEqual([
      "parameters: Forbidden: updates to parameters are forbidden.",
    ]);
  });
});
