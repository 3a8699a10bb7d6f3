import { byteLength } from "../../../language/object/byte-length.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { ConfigMap } from "../../hosted/envelope/read-manifests.ts";
import { manifestsText } from "../../hosted/envelope/write-manifests.ts";
import { packText } from "../../hosted/handover/packed-text.ts";
import { isOrder, type PoolOrder, readOrder, readPayload, type Target } from "../../hosted/handover/pool-order.ts";
import { nodePoolOf } from "../../hosted/protocol.ts";
import { configHashes } from "../config-hash.ts";
import { isGenerated } from "../generated-object.ts";
import type { RolloutInput } from "./rollout-plan.ts";

/** What the nodes of a NodePool are to have. */
export interface Wanted {
  readonly target: Target;
  /** Packed. */
  readonly payload: string;
  /** Of what is packed. Absent: it was ordered before. */
  readonly bytes?: number | undefined;
}

/** The order that was last written for a NodePool. One that cannot be read is written anew. */
export function lastOrder(nodePool: string, controlPlane: readonly ConfigMap[]): PoolOrder | undefined {
  for (const configMap of controlPlane) {
    if (!isOrder(configMap) || nodePoolOf(configMap) !== nodePool) continue;
    const read = readOrder(configMap);
    if (read.type === "read") return read.value;
  }
  return undefined;
}

/** The objects that the nodes of a NodePool were last told to have: `PayloadInput.lastGood`. */
export function lastPayload(nodePool: string, controlPlane: readonly ConfigMap[]): readonly KubeObject[] | undefined {
  const order = lastOrder(nodePool, controlPlane);
  const read = order && readPayload(order.payload, nodePool);
  return read?.type === "read" ? read.value : undefined;
}

/** Undefined: nothing yet, and nothing valid is wanted. */
export function wantedOf(input: RolloutInput): Wanted | undefined {
  const { nodePool, payload, controlPlane, version, compress, isPaused } = input;
  const { name = "" } = nodePool.metadata;
  const last = lastOrder(name, controlPlane);
  if (isPaused || payload.type === "none") return last;
  const before = isUpgrading(input, last) ? lastPayload(name, controlPlane) : undefined;
  const objects = before ? withGeneratedOf(before, payload.objects, name) : payload.objects;
  const { full, withoutVersion } = configHashes({ ...input, objects });
  // Equal in effect: other bytes would change the Secret for nothing.
  if (last?.target.full === full) return last;
  const text = manifestsText(objects);
  return { target: { full, withoutVersion, version }, payload: packText(text, compress), bytes: byteLength(text) };
}

/** From the order of a new version until all nodes have it. */
function isUpgrading({ nodePool: { status }, version }: RolloutInput, last: PoolOrder | undefined): boolean {
  return last?.target.version === version && status?.version !== undefined && status.version !== version;
}

/**
 * Nodes of two releases may compute different boot arguments: what they report in the middle of an upgrade would start a
 * second rollout on top of it. What was generated before stays until the upgrade is finished; what users give counts.
 */
function withGeneratedOf(
  before: readonly KubeObject[],
  objects: readonly KubeObject[],
  nodePool: string,
): readonly KubeObject[] {
  const isNew = (object: KubeObject): boolean => !isGenerated(object, nodePool);
  return [...objects.filter(isNew), ...before.filter((object) => isGenerated(object, nodePool))];
}
