import { type FleetRow, type FleetState, fleetStates } from "./fleet-row.ts";

/** Many nodes, counted. */
export interface FleetSummary {
  readonly nodes: number;
  readonly states: Readonly<Record<FleetState, number>>;
  /** Nodes for which something takes effect only when they restart, whatever their state. */
  readonly reboots: number;
  readonly notReady: number;
}

/** By what rows are grouped. */
export const groupings = ["pool", "profile", "state"] as const;
export type Grouping = (typeof groupings)[number];

export interface FleetGroup {
  /** Empty: nodes without pool or profile. */
  readonly name: string;
  readonly summary: FleetSummary;
}

export function summarise(rows: readonly Omit<FleetRow, "name">[]): FleetSummary {
  const states = Object.fromEntries(fleetStates.map((state) => [state, 0])) as Record<FleetState, number>;
  let reboots = 0;
  let notReady = 0;
  for (const row of rows) {
    states[row.state]++;
    if (row.reboot) reboots++;
    if (!row.ready) notReady++;
  }
  return { nodes: rows.length, states, reboots, notReady };
}

/** By name, except that groups by state have the order of states. */
export function groupRows(rows: readonly Omit<FleetRow, "name">[], by: Grouping): FleetGroup[] {
  const groups = new Map<string, Omit<FleetRow, "name">[]>();
  for (const row of rows) {
    const group = groups.get(row[by]) ?? [];
    groups.set(row[by], group);
    group.push(row);
  }
  const rank = (name: string): number => fleetStates.indexOf(name as FleetState);
  return Array.from(groups, ([name, own]) => ({ name, summary: summarise(own) })).toSorted(
    (a, b) => (by === "state" ? rank(a.name) - rank(b.name) : 0) || (a.name < b.name ? -1 : 1),
  );
}

/** What a person asks first: is anything wrong? */
export function fleetSentence({ nodes, states }: FleetSummary): string {
  if (nodes === 0) return "The cluster has no Linux nodes";
  const good = states["As wanted"];
  if (good === nodes) return nodes === 1 ? "The node is as wanted" : `All ${count(nodes)} nodes are as wanted`;
  const parts = [
    `${count(good)} of ${count(nodes)} ${nodes === 1 ? "node is" : "nodes are"} as wanted`,
    ...part(states["Waiting for config"], "waits for its config", "wait for their configs"),
    ...part(states["Waiting for reboot"], "waits for a reboot", "wait for a reboot"),
    ...part(states.Applying, "is being changed", "are being changed"),
    ...part(states.Unknown, "is unknown", "are unknown"),
    ...part(needYou(states), "needs you", "need you"),
  ];
  return parts.join("; ");
}

/** What does not end by itself. */
export function needYou({ Degraded, Drifted }: FleetSummary["states"]): number {
  return Degraded + Drifted;
}

function part(n: number, one: string, several: string): string[] {
  return n === 0 ? [] : [`${count(n)} ${n === 1 ? one : several}`];
}

/** `4,987`: the same on every machine, whatever its locale. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}
