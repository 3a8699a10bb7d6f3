import type { EventRow } from "../../../../console/protocol/topics.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { CacheDefinition } from "../user-caches.ts";
import type { TopicContext } from "./topic-context.ts";

/** The kinds of objects that have the name of their node. */
const ofNodes: readonly string[] = ["Node", "Profile"];
const mostEvents = 200;

/** What happened to a node and its Profile, as far as the API server still knows: the latest first. */
export function openEvents(context: TopicContext<"events/">): void {
  const name = context.argument;
  // It becomes part of a selector.
  if (!/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/.test(name)) return context.follow([], () => {});
  const definition: CacheDefinition<typeof kinds.event extends CacheDefinition<infer T>["kind"] ? T : never> = {
    kind: kinds.event,
    fieldSelector: `involvedObject.name=${name}`,
  };
  const events = context.cache(definition);
  context.follow([events], () => {
    const rows = events
      .list()
      .filter(({ involvedObject }) => ofNodes.includes(involvedObject.kind ?? ""))
      .map((event): [string, EventRow] => {
        const { metadata, involvedObject, type = "Normal", reason = "", message = "", count = 1 } = event;
        const at = event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp ?? "";
        return [metadata.uid ?? "", { kind: involvedObject.kind ?? "", type, reason, message, count, at }];
      })
      .toSorted(([, a], [, b]) => (a.at < b.at ? 1 : -1));
    context.replace(new Map(rows.slice(0, mostEvents)));
  });
}
