import type { ConfigMap } from "../../hosted/envelope/read-manifests.ts";
import type { PoolOrder } from "../../hosted/handover/pool-order.ts";
import { orderedPool, orderedSources } from "../../hosted/rollout/ordered-pool.ts";
import type { Digest } from "../../machine-config/content-hash.ts";
import { defaultPolicy } from "../../machine-config/cost/disruption-policy.ts";
import { emptyContents, type MachineContents } from "../../machine-config/machine-contents.ts";
import { renderPool } from "../../machine-config/render-pool.ts";
import type { NodePool } from "../../node-pool/api.ts";
import { describeProblem } from "../../rollout/rendering.ts";
import { managementOf } from "../../node-pool/rollout/management.ts";
import { lastOrder } from "../../node-pool/rollout/target.ts";
import { updateBetween } from "../pool-changes.ts";
import type { NodePoolRollout } from "./node-pool-change.ts";

interface Rendering {
  readonly digest: Digest;
  readonly version: string;
}

/** What the order for the nodes of a NodePool changes on them. Undefined: they keep what they have. */
export function rolloutBetween(
  nodePool: NodePool,
  sides: { readonly before: readonly ConfigMap[]; readonly after: readonly ConfigMap[] },
  how: Rendering,
): NodePoolRollout | undefined {
  const { name = "" } = nodePool.metadata;
  const [old, wanted] = [lastOrder(name, sides.before), lastOrder(name, sides.after)];
  if (!wanted || wanted.target.full === old?.target.full) return undefined;
  const { upgradeType, maxUnavailable } = managementOf(nodePool);
  const from = old ? contentsOf(old, how) : emptyContents;
  const to = contentsOf(wanted, how);
  const before = typeof from === "string" ? emptyContents : from;
  const update = updateBetween([before], typeof to === "string" ? before : to, { policy: defaultPolicy, isOurs: true });
  // The first order of a NodePool without configs.
  if (typeof to !== "string" && update.contents.length === 0) return undefined;
  return { ...update, ...(typeof to === "string" ? { problem: to } : {}), upgradeType, atOnce: maxUnavailable };
}

/** What nodes get by an order, or why they refuse it. */
function contentsOf(order: PoolOrder, { digest, version }: Rendering): MachineContents | string {
  const { sources, problems } = orderedSources(order, version);
  const [first] = problems;
  if (first) return describeProblem(first);
  if (sources.length === 0) return emptyContents;
  const rendering = renderPool({ pool: orderedPool(order), machineConfigs: sources, version, digest });
  if (rendering.type === "rendered") return rendering.contents;
  const [problem] = rendering.problems;
  return problem ? describeProblem(problem) : "refused";
}
