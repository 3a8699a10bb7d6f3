import { expect, test } from "vitest";
import { apiVersion, type MachineConfig, type MachineConfigPool } from "../../machine-config/api.ts";
import { annotations } from "../node-annotations.ts";
import type { RolloutNode } from "../rollout-node.ts";
import { startupTaint } from "../startup/startup-taint.ts";
import { afterJoin } from "./after-join.ts";
import { claimPatch, invitationObject, readInvitation } from "./invitation.ts";

const claim = { by: "hash", config: "rendered-master-1" };
const pool: MachineConfigPool = {
  apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "master" },
  spec: { nodeSelector: { matchLabels: { "node-role.kubernetes.io/master": "" } } },
};

const rendered = (owner: string): MachineConfig => ({
  apiVersion,
  kind: "MachineConfig",
  metadata: {
    name: claim.config,
    ownerReferences: [{ apiVersion, kind: "MachineConfigPool", name: owner, uid: "", controller: true }],
  },
});

/** A claimed invitation of this moment. */
function invitation(creationTimestamp: string): NonNullable<ReturnType<typeof readInvitation>> {
  const { metadata } = invitationObject("a", "master", "2026-01-02T00:00:00Z");
  const { annotations: own } = metadata;
  const { annotations: claimed } = (claimPatch({ uid: "" } as never, claim) as { metadata: typeof metadata }).metadata;
  return readInvitation({ metadata: { ...metadata, creationTimestamp, annotations: { ...own, ...claimed } } })!;
}

test.each([
  ["joined after it was invited is told its config and labelled", "2026-01-01T10:00:00Z", true],
  ["was there before gets nothing of a claim, which its issuer may have written", "2026-01-01T09:59:59Z", false],
])("a node that %s", (_, creationTimestamp, isTold) => {
  const node: RolloutNode = { apiVersion: "v1", kind: "Node", metadata: { name: "a", creationTimestamp } };
  const outcome = afterJoin({
    invitation: invitation("2026-01-01T10:00:00Z"),
    node,
    pool,
    rendered: rendered("master"),
    now: 0,
  });
  expect(outcome).toEqual({ type: "over", change: isTold ? expect.anything() : undefined });
  if (isTold)
    expect(outcome).toMatchObject({
      change: {
        annotations: { [annotations.desiredConfig]: claim.config },
        labels: pool.spec?.nodeSelector?.matchLabels,
        taints: [startupTaint],
      },
    });
});

test.each([
  ["of another pool", rendered("worker")],
  ["that is no rendering", { ...rendered("master"), metadata: { name: claim.config } }],
  ["that does not exist", undefined],
])("a claim that names a config %s tells the node none", (_, found) => {
  const metadata = { name: "a", creationTimestamp: "2026-01-01T10:00:00Z" };
  const node: RolloutNode = { apiVersion: "v1", kind: "Node", metadata };
  const joined = { invitation: invitation("2026-01-01T10:00:00Z"), node, pool, rendered: found, now: 0 };
  const outcome = afterJoin(joined);
  expect(outcome).toMatchObject({ change: { labels: pool.spec?.nodeSelector?.matchLabels } });
  expect(outcome).not.toHaveProperty(["change", "annotations", annotations.desiredConfig]);
});
