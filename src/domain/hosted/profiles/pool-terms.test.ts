import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { profileKind } from "../../node-tuning/api.ts";
import type { Profile } from "../../node-tuning/api.ts";
import { keys } from "../protocol.ts";
import { holdFor, type HoldTerms } from "./pool-terms.ts";
import type { EnvelopedProfile } from "./read-envelope.ts";

const nodePool = "np1";
const profile = { metadata: { name: "perf" }, envelope: { nodePool } } as EnvelopedProfile;
const labels = (pool: string): Record<string, string> => ({ [keys.nodePool]: pool });
const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "np1-a", labels: labels(nodePool) } };
const nodeProfile = {
  apiVersion: profileKind.apiVersion,
  kind: "Profile",
  metadata: { name: "np1-a", creationTimestamp: "2026-01-01T00:00:00Z" },
} as Profile;

function terms(labelsOf: ReadonlyMap<string, Record<string, string>>, members: readonly KubeObject[]): HoldTerms {
  const boot = { tuneds: [], poolsOf: new Map(), pools: [], orphaned: [], labelsOf };
  return { boot, members, nodeProfiles: members.length > 0 ? [nodeProfile] : [], bootArguments: undefined, now: 0 };
}

describe("what the objects of a profile in a ConfigMap wait for", () => {
  it.each<[string, Map<string, Record<string, string>>, readonly KubeObject[], boolean]>([
    ["a decision about the NodePool's nodes counts", new Map([["np1-a", labels(nodePool)]]), [node], true],
    ["one without a node that has joined does not", new Map([["np2-a", labels("np2")]]), [node], false],
    ["nor one that has the node in another NodePool", new Map([["np1-a", labels("np2")]]), [node], false],
    ["one about more nodes counts", new Map([["np1-a", labels(nodePool)]]), [], true],
  ])("%s", (_, labelsOf, members, counts) => {
    expect(holdFor(profile, terms(labelsOf, members)).boot !== undefined).toBe(counts);
  });
});
