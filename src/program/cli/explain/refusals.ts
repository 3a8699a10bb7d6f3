import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { readRefusal, refusedReason } from "../../../domain/workload-partitioning/refusal-event.ts";
import { at, text } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

/** How often an object was refused, as its events say: API servers keep them for an hour. */
export interface RefusalExplanation {
  /** For a pod of a controller the beginning of its name, with a dash at the end. */
  readonly refused: string;
  readonly rule: string;
  readonly message: string;
  readonly count: number;
  readonly last: string;
}

export interface RefusalQuestion {
  readonly client: Client;
  readonly kind: "Pod" | "Node";
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Objects of one kind that admission refused in a namespace. */
export async function readRefusals({
  client,
  kind,
  namespace,
  signal,
}: RefusalQuestion): Promise<RefusalExplanation[]> {
  const fieldSelector = `reason=${refusedReason},involvedObject.kind=${kind}`;
  const { items } = await client.list<KubeObject>(kinds.event, { namespace, fieldSelector, signal });
  return items.flatMap((event) => {
    const read = readRefusal(text(event["message"]));
    if (!read) return [];
    const { count = 1, lastTimestamp } = event as { count?: number; lastTimestamp?: string };
    const refused = text(at(event, "involvedObject", "name"));
    return [{ refused, rule: read.rule, message: read.message, count, last: lastTimestamp ?? "" }];
  });
}

export const refusalText = ({ rule, message, count, last }: RefusalExplanation): string =>
  `${count === 1 ? "once" : `${count} times`}, last ${last}: ${rule}: ${message}`;
