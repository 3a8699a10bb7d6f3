import { describe, expect, it } from "vitest";
import { event } from "./core/event/event.ts";
import { lease } from "./lease.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./core/service-account.ts";
import { create, row, update } from "./testing/run-strategy.ts";

describe("Event", () => {
  it.each([
    ["rec", "rec", []],
    ["rec", "other", ['involvedObject.namespace: Invalid value: "other": does not match event.namespace']],
    ["rec", "", ['involvedObject.namespace: Invalid value: "": does not match event.namespace']],
    ["default", "", []],
  ])("in %s about an object in %j has the faults %j", (namespace, about, faults) => {
    expect(create(event, { metadata: { namespace }, involvedObject: { kind: "X", namespace: about } }).faults).toEqual(
      faults,
    );
  });

  it("may have any name that is a path segment", () => {
    const involvedObject = { namespace: "rec" };
    expect(create(event, { metadata: { name: "Bad_Name" }, involvedObject }).faults).toEqual([]);
    expect(create(event, { metadata: { name: "a/b" }, involvedObject }).faults).toHaveLength(1);
  });

  it("requires a reporter if it has an eventTime", () => {
    const { faults } = create(event, {
      involvedObject: { namespace: "rec" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingComponent: "c",
    });
    expect(faults).toEqual(["reportingInstance: Required value", "action: Required value", "reason: Required value"]);
  });

  it.each([
    [
      { lastTimestamp: "1970-01-01T00:00:00Z", count: 4, source: { component: "c", host: "h" } },
      { "Last Seen": "5s", Count: 4, Source: "c, h" },
    ],
    [{ source: { host: "h" } }, { "Last Seen": "<unknown>", Count: 1, Source: ", h" }],
    [
      {
        eventTime: "1970-01-01T00:00:01.000000Z",
        series: { count: 7, lastObservedTime: "1970-01-01T00:00:03.000000Z" },
      },
      { "Last Seen": "2s", "First Seen": "4s", Count: 7 },
    ],
    [
      { message: " a\nb\n", involvedObject: { kind: "Pod", name: "p", fieldPath: "spec" } },
      { Message: "a\nb", Object: "pod/p", Subobject: "spec" },
    ],
  ])("%j is shown as %j", (fields, cells) => {
    const { object } = create(event, { involvedObject: { namespace: "rec" }, ...fields });
    expect(row(event, object, 5000)).toMatchObject(cells);
  });

  it("can be selected by its object and source", () => {
    const { object } = create(event, { involvedObject: { kind: "Pod", name: "p" }, source: { component: "kubelet" } });
    const fields = ["involvedObject.kind", "involvedObject.name", "involvedObject.uid", "source"];
    expect(fields.map((field) => event.selectableFields[field]?.(object))).toEqual(["Pod", "p", "", "kubelet"]);
  });
});

describe("Lease", () => {
  it("requires a positive duration and no negative transitions", () => {
    expect(create(lease, { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }).faults).toEqual([
      "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ]);
    expect(create(lease, { spec: { leaseDurationSeconds: 15, leaseTransitions: 0 } }).faults).toEqual([]);
  });

  it("can be created by an update", () => {
    expect(lease.strategy.createOnUpdate).toBe(true);
  });
});

describe("RuntimeClass", () => {
  it("has an immutable handler", () => {
    const { object, faults } = create(runtimeClass, {
      handler: "high-performance",
      scheduling: { nodeSelector: { a: "b" } },
    });
    expect(faults).toEqual([]);
    expect(update(runtimeClass, object, { handler: "x" }).faults).toEqual([
      'handler: Invalid value: "x": field is immutable',
    ]);
  });

  it("validates scheduling as a pod does", () => {
    const scheduling = {
      tolerations: [{ key: "a", operator: "Odd" }, { operator: "Equal" }, { key: "a", tolerationSeconds: 3 }],
    };
    expect(create(runtimeClass, { handler: "h", overhead: { podFixed: { cpu: "-1" } }, scheduling }).faults).toEqual([
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'scheduling.tolerations[0].operator: Unsupported value: "Odd": supported values: "Equal", "Exists"',
      'scheduling.tolerations[1].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      "scheduling.tolerations[2].effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set",
    ]);
  });
});

describe("ServiceAccount", () => {
  it("keeps only the names of its secrets, and automountServiceAccountToken false", () => {
    const { object } = create(serviceAccount, {
      secrets: [{ name: "x", kind: "y" }],
      automountServiceAccountToken: false,
    });
    expect(object).toMatchObject({ secrets: [{ name: "x" }], automountServiceAccountToken: false });
    expect(object.secrets).toEqual([{ name: "x" }]);
  });
});
