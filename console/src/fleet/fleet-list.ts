import { type FleetState, fleetStates } from "../../../src/domain/fleet/fleet-row.ts";
import { type FleetSummary, type Grouping, summarise } from "../../../src/domain/fleet/fleet-summary.ts";
import type { RowOf } from "../../protocol/topics.ts";

export type Row = RowOf<"fleet">;

export const columns = ["name", "pool", "profile", "state", "drift", "reboot", "since"] as const;
export type Column = (typeof columns)[number];

export interface Sort {
  readonly by: Column;
  readonly descending: boolean;
}

export interface Filter {
  /** In the name or in the sentence why. */
  readonly text: string;
  readonly pool: string;
  readonly profile: string;
  /** `need you`: what does not end by itself. */
  readonly state: FleetState | "need you" | "";
}

const natural = new Intl.Collator("en", { numeric: true });

/** The names in the order of people: `node-9` before `node-10`. Slow for thousands, so it is kept while no node comes or goes. */
export function naturalRanks(names: Iterable<string>): ReadonlyMap<string, number> {
  return new Map([...names].toSorted(natural.compare).map((name, at) => [name, at]));
}

/** All names in order. */
export function orderOf(rows: ReadonlyMap<string, Row>, ranks: ReadonlyMap<string, number>, sort: Sort): string[] {
  const key = keyOf(sort.by);
  const sign = sort.descending ? -1 : 1;
  const keyed = Array.from(rows, ([name, row]) => ({ name, key: key(row), rank: ranks.get(name) ?? 0 }));
  keyed.sort((a, b) => (a.key === b.key ? a.rank - b.rank : a.key < b.key ? -1 : 1) * sign);
  return keyed.map(({ name }) => name);
}

function keyOf(column: Column): (row: Row) => string | number {
  switch (column) {
    case "name":
      return () => 0;
    case "state":
      return ({ state }) => fleetStates.indexOf(state);
    case "reboot":
      return ({ reboot }) => (reboot ? 0 : 1);
    // Most drift and the longest age first: that is what a person looks for.
    case "drift":
      return ({ drift }) => -drift;
    case "since":
      return ({ since = "~" }) => since;
    default:
      return (row) => row[column];
  }
}

export function matches(name: string, row: Row, { text, pool, profile, state }: Filter): boolean {
  if (pool !== "" && row.pool !== pool) return false;
  if (profile !== "" && row.profile !== profile && row.inForce !== profile) return false;
  if (state === "need you" ? !needsYou(row) : state !== "" && row.state !== state) return false;
  return text === "" || name.includes(text) || row.because.toLowerCase().includes(text.toLowerCase());
}

export function needsYou({ state }: Row): boolean {
  return state === "Degraded" || state === "Drifted";
}

/** What the table shows, line by line. */
export type Line =
  | { readonly type: "node"; readonly name: string }
  | { readonly type: "group"; readonly name: string; readonly summary: FleetSummary; readonly isOpen: boolean };

export function linesOf(
  names: readonly string[],
  rows: ReadonlyMap<string, Row>,
  { group, closed }: { readonly group: Grouping | ""; readonly closed: ReadonlySet<string> },
): Line[] {
  if (group === "") return names.map((name) => ({ type: "node", name }));
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const of = rows.get(name)?.[group] ?? "";
    const members = groups.get(of);
    if (members) members.push(name);
    else groups.set(of, [name]);
  }
  return [...groups.keys()]
    .toSorted((a, b) => rankOf(a, group) - rankOf(b, group) || natural.compare(a, b))
    .flatMap((of): Line[] => {
      const members = groups.get(of) ?? [];
      const isOpen = !closed.has(of);
      const summary = summarise(members.flatMap((name) => rows.get(name) ?? []));
      const title: Line = { type: "group", name: of, summary, isOpen };
      return isOpen ? [title, ...members.map((name): Line => ({ type: "node", name }))] : [title];
    });
}

function rankOf(name: string, group: Grouping): number {
  return group === "state" ? fleetStates.indexOf(name as FleetState) : 0;
}
