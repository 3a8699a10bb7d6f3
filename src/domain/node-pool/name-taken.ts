import type { ConfigMap } from "../hosted/envelope/read-manifests.ts";
import { isNote } from "../hosted/notes.ts";
import { type Content, contentOf, nodePoolIn, nodePoolOf } from "../hosted/protocol.ts";

/** The NodePool of a ConfigMap of ours. Label and annotation name it, and one of them may have been changed. */
export function poolOf(configMap: ConfigMap): string {
  return nodePoolIn(configMap) ?? nodePoolOf(configMap);
}

/**
 * Why a NodePool must not write a ConfigMap that is there: two writers of one name would fight for ever, so the one that has
 * it keeps it. A ConfigMap without any mark is adopted, unless it cannot be changed.
 */
export function nameTaken(there: ConfigMap | undefined, content: Content, nodePool: string): string | undefined {
  if (!there) return undefined;
  if (isNote(there)) return `NodePool ${poolOf(there)} needs the name`;
  const found = contentOf(there);
  if (found === undefined) return there.immutable ? "it exists, is immutable and is of another owner" : undefined;
  if (poolOf(there) !== nodePool) return `NodePool ${poolOf(there)} has it`;
  return found === content ? undefined : "it holds something else of this NodePool";
}
