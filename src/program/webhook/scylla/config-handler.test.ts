import { expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { AdmissionRequest, Decision } from "../handler.ts";
import { scyllaConfigHandler } from "./config-handler.ts";

async function review(object: KubeObject | null): Promise<Decision> {
  return scyllaConfigHandler.review({ uid: "1", operation: "CREATE", userInfo: {}, object } as AdmissionRequest);
}

const config = (spec: object, metadata: object = {}): KubeObject => ({
  apiVersion: "scylla.scylladb.com/v1alpha1",
  kind: "ScyllaNodeConfig",
  metadata: { name: "c", ...metadata },
  spec,
});

const broken = { placement: { nodeSelector: { "not a key": "x" } } };

it("warns, and refuses nothing", async () => {
  const decision = await review(config(broken));
  expect(decision).toEqual({ type: "allow", warnings: [expect.stringContaining("spec.placement.nodeSelector: ")] });
});

it("says nothing about a config that is right, is being deleted, or is gone", async () => {
  expect(await review(config({}))).toEqual({ type: "allow", warnings: [] });
  expect(await review(config(broken, { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toEqual({ type: "allow" });
  expect(await review(null)).toEqual({ type: "allow" });
});

it("keeps within what API servers accept", async () => {
  const nodeSelector = Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [`no key ${i}${"x".repeat(500)}`, ""]),
  );
  const { warnings = [] } = await review(config({ placement: { nodeSelector } }));
  expect(warnings).toHaveLength(16);
  expect(warnings.at(-1)).toMatch(/^and \d+ more$/);
  expect(warnings.join("").length).toBeLessThan(4096);
});
