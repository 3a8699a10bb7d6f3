import { describe, expect, it } from "vitest";
import { daemonSet } from "./daemon-set.ts";
import { create, row, update } from "../testing/run-strategy.ts";

const generation = "deprecated.daemonset.template.generation";
const spec = (change: object = {}, pods: object = {}) => ({
  selector: { matchLabels: { a: "b" } },
  template: {
    metadata: { labels: { a: "b" } },
    spec: {
      containers: [
        { name: "one", image: "i1" },
        { name: "two", image: "i2:1" },
      ],
      ...pods,
    },
  },
  ...change,
});

describe("DaemonSet", () => {
  it("does not default host ports of its template, even with hostNetwork", () => {
    const ports = [{ containerPort: 80 }];
    const pods = { hostNetwork: true, containers: [{ name: "c", image: "i", ports }] };
    expect(create(daemonSet, { spec: spec({}, pods) }).object).toMatchObject({
      spec: { template: { spec: { containers: [{ ports: [{ containerPort: 80, protocol: "TCP" }] }] } } },
    });
    expect(JSON.stringify(create(daemonSet, { spec: spec({}, pods) }).object)).not.toContain("hostPort");
  });

  it("gets its defaults and those of its template, without those of a Pod", () => {
    const { object, faults } = create(daemonSet, { spec: spec() });
    expect(faults).toEqual([]);
    const container = {
      resources: {},
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
    };
    expect(object).toEqual({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "x", namespace: "rec", annotations: { [generation]: "1" } },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            containers: [
              { name: "one", image: "i1", ...container, imagePullPolicy: "Always" },
              { name: "two", image: "i2:1", ...container, imagePullPolicy: "IfNotPresent" },
            ],
            restartPolicy: "Always",
            terminationGracePeriodSeconds: 30,
            dnsPolicy: "ClusterFirst",
            securityContext: {},
            schedulerName: "default-scheduler",
          },
        },
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    });
  });

  it("increments its template generation only when the template changes", () => {
    const { object } = create(daemonSet, { spec: spec() });
    const relabelled = update(daemonSet, object, {
      metadata: { annotations: null },
      spec: { template: { metadata: { labels: { c: "d" } } } },
    });
    expect(relabelled.object.metadata.annotations).toEqual({ [generation]: "2" });
    const slowed = update(daemonSet, relabelled.object, { spec: { minReadySeconds: 3 } });
    expect(slowed.object.metadata.annotations).toEqual({ [generation]: "2" });
  });

  it.each([
    [{ selector: {} }, ["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"]],
    [
      { selector: { matchLabels: { a: "z" } } },
      ['spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'],
    ],
    [{ minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
    [
      { updateStrategy: { type: "Odd" } },
      [
        'spec.updateStrategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
      ],
    ],
    [{ updateStrategy: { type: "OnDelete", rollingUpdate: { maxSurge: "x" } } }, []],
    [
      { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
      ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
    ],
    [
      { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: "150%" } } },
      ['spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "150%": must not be greater than 100%'],
    ],
    [
      { updateStrategy: { rollingUpdate: { maxUnavailable: "10%", maxSurge: "10%" } } },
      [
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "10%": may not be set when maxUnavailable is non-zero',
      ],
    ],
  ])("with %j has the faults %j", (change, faults) => {
    expect(create(daemonSet, { spec: spec(change) }).faults).toEqual(faults);
  });

  it("requires restartPolicy Always and a container", () => {
    expect(create(daemonSet, { spec: spec({}, { restartPolicy: "Never", activeDeadlineSeconds: 5 }) }).faults).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
    ]);
    expect(create(daemonSet, { spec: spec({}, { containers: [] }) }).faults).toEqual([
      "spec.template.spec.containers: Required value",
    ]);
  });

  it("has an immutable selector", () => {
    const { object } = create(daemonSet, { spec: spec() });
    const change = { selector: { matchLabels: { a: "c" } }, template: { metadata: { labels: { a: "c" } } } };
    expect(update(daemonSet, object, { spec: change }).faults).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable',
    ]);
  });

  it("rejects negative counts", () => {
    const { object } = create(daemonSet, { spec: spec() });
    expect(update(daemonSet, object, { status: { numberReady: -3 } }, "status").faults).toEqual([
      "status.numberReady: Invalid value: -3: must be greater than or equal to 0",
    ]);
  });

  it("is shown with its counts, containers and selector", () => {
    const { object } = create(daemonSet, { spec: spec({}, { nodeSelector: { z: "1", a: "2" } }) });
    expect(row(daemonSet, object)).toEqual({
      Name: "x",
      Desired: 0,
      Current: 0,
      Ready: 0,
      "Up-to-date": 0,
      Available: 0,
      "Node Selector": "a=2,z=1",
      Age: "<unknown>",
      Containers: "one,two",
      Images: "i1,i2:1",
      Selector: "a=b",
    });
  });
});
