import type { NodeFacts } from "./node-profile.ts";
import { describeRule, type Rule } from "./rule.ts";

/** Rules of equal priority that want different profiles for the same node, told once for each pair of rules. */
export class Ties {
  readonly #pairs = new Map<string, { winner: Rule; other: Rule; node: string; more: number }>();

  add(winner: Rule, other: Rule, node: NodeFacts): void {
    const key = JSON.stringify([winner.tuned, winner.index, other.tuned, other.index]);
    const known = this.#pairs.get(key);
    if (known) known.more++;
    else this.#pairs.set(key, { winner, other, node: node.metadata.name ?? "", more: 0 });
  }

  /** By Tuned. */
  messages(): Map<string, string[]> {
    const messages = new Map<string, string[]>();
    for (const { winner, other, node, more } of this.#pairs.values()) {
      const where = more > 0 ? `node ${node} and ${more} more` : `node ${node}`;
      const message = `${describeRule(winner)} and ${describeRule(other)} both hold for ${where}: the first is used`;
      for (const tuned of new Set([winner.tuned, other.tuned])) {
        const list = messages.get(tuned) ?? [];
        list.push(message);
        messages.set(tuned, list);
      }
    }
    return messages;
  }
}
