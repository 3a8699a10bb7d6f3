import { describe, expect, it } from "vitest";
import { controllerRevision } from "./apps/controller-revision.ts";
import { deployment } from "./apps/deployment.ts";
import { replicaSet } from "./apps/replica-set.ts";
import { statefulSet } from "./apps/stateful-set.ts";
import { create, row, update } from "./testing/run-strategy.ts";

const spec = (change: object = {}, pods: object = {}) => ({
  selector: { matchLabels: { a: "b" } },
  template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }], ...pods } },
  ...change,
});

describe("every workload", () => {
  it.each([
    [deployment, "ReplicaSet"],
    [replicaSet, "ReplicaSet"],
    [statefulSet, "StatefulSet"],
  ])("%# validates restartPolicy, selector and counts", (kind, named) => {
    const pods = { restartPolicy: "Never", activeDeadlineSeconds: 5 };
    expect(create(kind, { spec: spec({}, pods) }).faults).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${named} is not Supported`,
    ]);
    expect(create(kind, { spec: { ...spec(), selector: undefined } }).faults).toEqual([
      "spec.selector: Required value",
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ]);
    expect(create(kind, { spec: spec({ replicas: -1 }) }).faults).toEqual([
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });
});

describe("Deployment", () => {
  it("gets its defaults", () => {
    const { object, faults } = create(deployment, { spec: spec() });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({
      spec: {
        replicas: 1,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    });
    expect(row(deployment, object)).toMatchObject({ Ready: "0/1", "Up-to-date": 0, Available: 0, Selector: "a=b" });
  });

  const at = "spec.strategy.rollingUpdate";
  it.each([
    [
      { strategy: { type: "Odd" } },
      [
        'spec.strategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
      [`${at}: Forbidden: may not be specified when strategy \`type\` is 'Recreate'`],
    ],
    [
      { strategy: { rollingUpdate: { maxUnavailable: "0%", maxSurge: 0 } } },
      [`${at}.maxUnavailable: Invalid value: "0%": may not be 0 when \`maxSurge\` is 0`],
    ],
    [
      { strategy: { rollingUpdate: { maxUnavailable: "150%", maxSurge: "150%" } } },
      [`${at}.maxUnavailable: Invalid value: "150%": must not be greater than 100%`],
    ],
    [
      { progressDeadlineSeconds: 5, minReadySeconds: 5 },
      ["spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"],
    ],
  ])("with %j has the faults %j", (change, faults) => {
    expect(create(deployment, { spec: spec(change) }).faults).toEqual(faults);
  });

  it("rejects more ready replicas than replicas", () => {
    const { object } = create(deployment, { spec: spec() });
    const status = { replicas: 1, readyReplicas: 3, availableReplicas: 4, updatedReplicas: -1 };
    expect(update(deployment, object, { status }, "status").faults).toEqual([
      "status.updatedReplicas: Invalid value: -1: must be greater than or equal to 0",
      "status.readyReplicas: Invalid value: 3: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 4: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 4: cannot be greater than readyReplicas",
    ]);
  });

  it("has an immutable selector", () => {
    const { object } = create(deployment, { spec: spec() });
    const change = { selector: { matchLabels: { a: "c" } }, template: { metadata: { labels: { a: "c" } } } };
    expect(update(deployment, object, { spec: change }).faults).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable',
    ]);
  });
});

describe("StatefulSet", () => {
  const claim = {
    metadata: { name: "v" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };

  it("gets its defaults and those of its claims, which its pods can mount", () => {
    const containers = [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/x" }] }];
    const { object, faults } = create(statefulSet, { spec: spec({ volumeClaimTemplates: [claim] }, { containers }) });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({
      spec: {
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
        volumeClaimTemplates: [
          {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            spec: { volumeMode: "Filesystem" },
            status: { phase: "Pending" },
          },
        ],
      },
      status: { replicas: 0, availableReplicas: 0 },
    });
  });

  it.each([
    [
      { podManagementPolicy: "Odd" },
      `spec.podManagementPolicy: Invalid value: "Odd": must be 'OrderedReady' or 'Parallel'`,
    ],
    [
      { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } },
      `spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
    ],
    [
      { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Odd" } },
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Odd": supported values: "Retain", "Delete"',
    ],
    [
      { volumeClaimTemplates: [{ ...claim, spec: { ...claim.spec, accessModes: [] } }] },
      "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
    ],
  ])("with %j has the fault %j", (change, fault) => {
    expect(create(statefulSet, { spec: spec(change) }).faults).toEqual([fault]);
  });

  it("has few mutable fields", () => {
    const { object } = create(statefulSet, { spec: spec() });
    expect(update(statefulSet, object, { spec: { replicas: 3, minReadySeconds: 1 } }).faults).toEqual([]);
    expect(update(statefulSet, object, { spec: { serviceName: "y" } }).faults).toEqual([
      expect.stringContaining("spec: Forbidden: updates to statefulset spec for fields other than 'replicas'"),
    ]);
  });
});

describe("ControllerRevision", () => {
  it("requires data, which is immutable, and a revision", () => {
    expect(create(controllerRevision, { revision: -1 }).faults).toEqual([
      "revision: Invalid value: -1: must be greater than or equal to 0",
      "data: Required value: data is mandatory",
    ]);
    const { object } = create(controllerRevision, { revision: 3, data: { x: 1 } });
    expect(update(controllerRevision, object, { revision: 4 }).faults).toEqual([]);
    expect(update(controllerRevision, object, { data: { x: 2 } }).faults).toEqual([
      'data: Invalid value: {"x":2}: field is immutable',
    ]);
  });

  it("shows its controller", () => {
    const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "u", controller: true };
    const { object } = create(controllerRevision, { metadata: { ownerReferences: [owner] }, revision: 3, data: {} });
    expect(row(controllerRevision, object)).toMatchObject({ Controller: "daemonset.apps/d", Revision: 3 });
  });
});
