import type { Condition } from "../../language/object/condition.ts";
import type { Member } from "./candidates.ts";
import { listed, named } from "./nearby-nodes.ts";
import { findingsOf, longestReason, quoted } from "./node-annotations.ts";

/** What nodes cannot have of their config, and what other processes have changed of it, each with its nodes. */
export function nodeFindings(members: readonly Pick<Member, "state">[]): Partial<Condition> {
  const nodes = new Map<string, string[]>();
  for (const { state } of members) {
    // A node that is done has a reason only where its config drifted.
    const drift = state.isDone && state.update.reason !== "" ? [state.update.reason] : [];
    for (const text of [...findingsOf(state.node.metadata), ...drift]) {
      const names = nodes.get(text);
      if (names) names.push(state.name);
      else nodes.set(text, [state.name]);
    }
  }
  if (nodes.size === 0) return { status: "False" };
  const texts = [...nodes]
    .slice(0, named)
    .map(([text, names]) => `${quoted(text, longestReason)} (${listed(names.toSorted())})`);
  const more = nodes.size > named ? `; and ${nodes.size - named} more findings` : "";
  return { status: "True", reason: "NodesDiffer", message: `${texts.join("; ")}${more}` };
}
