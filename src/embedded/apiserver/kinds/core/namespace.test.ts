import { describe, expect, it } from "vitest";
import { namespace } from "./namespace.ts";
import { create, update } from "../testing/run-strategy.ts";

describe("Namespace", () => {
  it("is labelled with its name, held by Kubernetes and active", () => {
    const { object, faults } = create(namespace, {
      metadata: { name: "rec", labels: { a: "b" } },
      status: { phase: "Odd" },
    });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({
      metadata: { labels: { a: "b", "kubernetes.io/metadata.name": "rec" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  });

  it("keeps finalizers of the user's own, if they are qualified", () => {
    expect(create(namespace, { spec: { finalizers: ["example.com/x"] } }).object.spec).toEqual({
      finalizers: ["example.com/x", "kubernetes"],
    });
    expect(create(namespace, { spec: { finalizers: ["x"] } }).faults).toEqual([
      'spec.finalizers: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it("has a name without dots", () => {
    expect(create(namespace, { metadata: { name: "ns.2" } }).faults).toEqual([
      'metadata.name: Invalid value: "ns.2": must not contain dots',
    ]);
  });

  it("restores its label and keeps its finalizers on an update", () => {
    const { object } = create(namespace, {});
    const changed = update(namespace, object, {
      metadata: { labels: { "kubernetes.io/metadata.name": "zz" } },
      spec: { finalizers: null },
      status: { phase: "Odd" },
    });
    expect(changed.faults).toEqual([]);
    expect(changed.object).toEqual(object);
  });

  it("gives up finalizers only through finalize", () => {
    const { object } = create(namespace, {});
    const released = update(namespace, object, { spec: { finalizers: [] }, status: { phase: "Odd" } }, "finalize");
    expect(released.faults).toEqual([]);
    expect(released.object).toMatchObject({ spec: {}, status: { phase: "Active" } });
    expect(update(namespace, object, { spec: { finalizers: ["x"] } }, "finalize").faults).toEqual([
      'spec.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it("is active until it is deleted, and terminating from then on", () => {
    const { object } = create(namespace, {});
    expect(update(namespace, object, { status: { phase: "Terminating" } }, "status").faults).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
    const dying = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(update(namespace, dying, { status: { phase: "Terminating" } }, "status").faults).toEqual([]);
    expect(update(namespace, dying, {}, "status").faults).toEqual([
      "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty",
    ]);
  });
});
