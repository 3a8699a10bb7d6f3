import type { Condition } from "../../language/object/condition.ts";
import type { Member } from "./candidates.ts";
import { listed, named } from "./nearby-nodes.ts";
import { longestReason, quoted } from "./node-annotations.ts";

/** The findings of all nodes, each with its nodes. */
export function nodeFindings(members: readonly Pick<Member, "state">[]): Partial<Condition> {
  const nodes = new Map<string, FirstNames>();
  for (const { state } of members) {
    for (const [index, text] of state.findings.entries()) {
      let names = nodes.get(text);
      if (!names) nodes.set(text, (names = new FirstNames()));
      names.add(state.name, index);
    }
  }
  if (nodes.size === 0) return { status: "False" };
  const texts = inTurn(nodes).map(([text, names]) => `${quoted(text, longestReason)} (${names.text})`);
  const more = nodes.size > named ? `; and ${nodes.size - named} more findings` : "";
  return { status: "True", reason: "NodesDiffer", message: `${texts.join("; ")}${more}` };
}

/** Of each node the first, then of each the second, the most frequent first: one with many findings must not hide others. */
function inTurn(nodes: ReadonlyMap<string, FirstNames>): (readonly [string, FirstNames])[] {
  return [...nodes].toSorted(([, a], [, b]) => a.rank - b.rank || b.count - a.count).slice(0, named);
}

/** As many names as are listed, the first by name of all that were added: sorting all of 5,000 nodes costs more than the rest of a status. */
class FirstNames {
  #first: string[] = [];
  #more = 0;
  /** The place among the findings of the node that reports it first. */
  rank = Infinity;

  get count(): number {
    return this.#first.length + this.#more;
  }

  get text(): string {
    return listed(this.#first, this.#more);
  }

  add(name: string, index: number): void {
    this.rank = Math.min(this.rank, index);
    if (this.#first.length < named || name < (this.#first.at(-1) ?? ""))
      this.#first = [...this.#first, name].toSorted();
    else this.#more++;
    if (this.#first.length > named) {
      this.#first.pop();
      this.#more++;
    }
  }
}
