import { equal } from "../../language/object/json.ts";
import type { MachineConfigPool } from "./api.ts";
import {
  fromLabelSelector,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  SelectorError,
} from "../../language/object/label-selector.ts";

export type Labels = Readonly<Record<string, string>>;

interface Pool {
  readonly name: string;
  /** Undefined: selects nothing. */
  readonly nodes: LabelSelector | undefined;
  readonly configs: LabelSelector | undefined;
}

/** Which pools a node is in, and which pools take a MachineConfig. */
export class Pools {
  readonly #pools: readonly Pool[];
  readonly #problems: { readonly pool: string; readonly text: string }[] = [];
  readonly #byLabels = new Map<string, readonly string[]>();

  constructor(pools: readonly MachineConfigPool[]) {
    this.#pools = pools
      .map(({ metadata: { name = "" }, spec }) => ({
        name,
        nodes: this.#selector(name, "nodeSelector", spec?.nodeSelector),
        configs: this.#selector(name, "machineConfigSelector", spec?.machineConfigSelector),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  get isEmpty(): boolean {
    return this.#pools.length === 0;
  }

  /** Invalid selectors. Their pools select nothing. */
  get problems(): readonly string[] {
    return this.#problems.map(({ text }) => text);
  }

  /** The invalid selectors of one pool. They affect no other pool. */
  problemsOf(pool: string): readonly string[] {
    return this.#problems.filter((problem) => problem.pool === pool).map(({ text }) => text);
  }

  /**
   * The pools of a node, the one that configures it first. As in the machine config operator, master comes before custom
   * pools, which come before worker, from which they inherit; a node of two custom pools is an error and in none.
   */
  ofNode(labels: Labels): readonly string[] {
    const names = this.choosing(labels);
    const custom = names.filter(isCustom);
    if (custom.length > 1) return [];
    const isMaster = names.includes("master");
    const worker = names.filter((name) => name === "worker");
    if (custom.length === 0) return isMaster ? ["master"] : worker;
    return [isMaster ? "master" : (custom[0] as string), ...worker];
  }

  /** The pool that configures a node. A master stays one whatever custom pools select it. */
  configuring(labels: Labels): { readonly pool: string | undefined; readonly isMasterInCustomPool: boolean } {
    const names = this.choosing(labels);
    const isMaster = names.includes("master");
    const custom = names.filter(isCustom);
    return {
      pool: isMaster ? "master" : (custom[0] ?? names[0]),
      isMasterInCustomPool: isMaster && custom.length > 0,
    };
  }

  /** The custom pools that all select a node, where none of them comes before the others: master would. */
  conflictOf(labels: Labels): readonly string[] {
    const names = this.choosing(labels);
    const custom = names.filter(isCustom);
    return custom.length > 1 && !names.includes("master") ? custom : [];
  }

  /** The pools whose nodes get a MachineConfig with these labels, by name. */
  selecting(labels: Labels): readonly string[] {
    const key = JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    let names = this.#byLabels.get(key);
    if (!names) {
      names = this.#pools.filter(({ configs }) => configs && matchesLabels(configs, labels)).map(({ name }) => name);
      this.#byLabels.set(key, names);
    }
    return names;
  }

  /** All pools whose selectors match, by name. */
  choosing(labels: Labels): string[] {
    return this.#pools.filter(({ nodes }) => nodes && matchesLabels(nodes, labels)).map(({ name }) => name);
  }

  #selector(pool: string, field: string, selector: LabelSelectorObject | null | undefined): LabelSelector | undefined {
    // Elsewhere in Kubernetes an empty selector selects everything; for a pool that would be a mistake.
    if (!Object.keys(selector?.matchLabels ?? {}).length && !selector?.matchExpressions?.length) return undefined;
    try {
      return fromLabelSelector(selector);
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      this.#problems.push({ pool, text: `MachineConfigPool ${pool} ${field}: ${error.message}` });
      return undefined;
    }
  }
}

/** Whether an update left what a pool selects, and the labels by which it is selected. Most updates of a pool are its status. */
export function isSameSelection(a: MachineConfigPool, b: MachineConfigPool): boolean {
  const partsOf = ({ metadata, spec }: MachineConfigPool): unknown => [
    metadata.labels ?? {},
    spec?.nodeSelector ?? null,
    spec?.machineConfigSelector ?? null,
  ];
  return equal(partsOf(a), partsOf(b));
}

function isCustom(pool: string): boolean {
  return pool !== "master" && pool !== "worker";
}

/** `a=1,b=2` */
export function labelsText(labels: Labels): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return all.length > 0 ? all.join(",") : "no labels";
}
