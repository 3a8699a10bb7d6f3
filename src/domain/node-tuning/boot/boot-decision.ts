import type { Labels, Pools } from "../../machine-config/pools.ts";
import { equal } from "../../../language/object/json.ts";
import type { Recommend, Tuned } from "../api.ts";
import type { PoolArguments } from "./boot-arguments.ts";

/** What node tuning decided about the boot arguments of pools, for those that bring them to nodes, and about Tuneds. */
export interface BootDecision {
  /** The Tuneds that it was made from. */
  readonly tuneds: readonly Tuned[];
  /** The pools whose nodes get boot arguments by the rules of a Tuned, by its name. */
  readonly poolsOf: ReadonlyMap<string, readonly string[]>;
  /** Empty while Tuneds are not managed. */
  readonly pools: readonly PoolArguments[];
  /** Names of MachineConfigs with boot arguments that no rule refers to any more. */
  readonly orphaned: readonly string[];
  /** The nodes that it was made for, by name, with their labels then. Absent: no pool waits for a decision. */
  readonly labelsOf?: ReadonlyMap<string, Labels> | undefined;
  /** By name: what is wrong with Tuneds that are not valid. */
  readonly invalid?: ReadonlyMap<string, string> | undefined;
}

export function poolsOfTuneds(tuneds: readonly Tuned[], pools: Pools): ReadonlyMap<string, readonly string[]> {
  const selected = ({ machineConfigLabels }: Recommend): readonly string[] =>
    machineConfigLabels ? pools.selecting(machineConfigLabels) : [];
  return new Map(
    tuneds.map(({ metadata, spec }) => [metadata.name ?? "", [...new Set((spec?.recommend ?? []).flatMap(selected))]]),
  );
}

/** The last decision. Controllers that depend on it are told when it differs from the one before. */
export class LatestBootDecision {
  #latest: BootDecision | undefined;
  #facts = "";
  readonly #listeners = new Set<() => void>();

  get current(): BootDecision | undefined {
    return this.#latest;
  }

  set(decision: BootDecision): void {
    const facts = factsOf(decision);
    const isForSame = isSameLabels(this.#latest?.labelsOf, decision.labelsOf);
    this.#latest = decision;
    if (facts === this.#facts && isForSame) return;
    this.#facts = facts;
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function factsOf({ tuneds, pools, orphaned, invalid = new Map() }: BootDecision): string {
  return JSON.stringify([
    tuneds.map(({ metadata }) => [metadata.name, metadata.uid, metadata.generation, metadata.annotations]),
    pools.map(({ pool, outcome }) => [
      pool,
      { ...outcome, ...("values" in outcome ? { values: [...outcome.values] } : {}) },
    ]),
    orphaned,
    [...invalid],
  ]);
}

/** Most nodes have the very labels that they had. */
function isSameLabels(
  before: BootDecision["labelsOf"] = new Map(),
  after: BootDecision["labelsOf"] = new Map(),
): boolean {
  return before.size === after.size && [...after].every(([name, labels]) => equal(before.get(name), labels));
}
