import type { PolicyAction } from "../../../domain/machine-config/cost/disruption-policy.ts";
import type { ContentChange } from "../../../domain/plan/content-changes.ts";
import type { PoolChange, PoolUpdate } from "../../../domain/plan/pool-change.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { paragraph, widestLine } from "../terminal/wrap.ts";
import { type Limits, namesText, nodeNames } from "./node-names.ts";

const happens = { create: "is created", change: "changes", delete: "is deleted" } as const;

/** What changes on the nodes of a pool, the smallest sufficient action, the order, and who waits for what. */
export function poolText(change: PoolChange, limits: Limits, colours: Colours): string {
  const { pool, objects, updates, waits } = change;
  const { bold, dim, yellow } = colours;
  const causes = objects.map(({ kind, name, change: how }) => `${kind} ${name} ${happens[how]}`);
  const isNew = objects.some(({ kind, change: how }) => kind === "MachineConfigPool" && how === "create");
  const isOne = updates.length === 1;
  const shown = few(waits, limits.most);
  return [
    bold(`Pool ${printable(pool)} gets ${isNew ? "its first" : "another"} config`),
    ...(causes.length > 0 ? indented(printable(`(${causes.join(", ")})`), 2, limits, dim) : []),
    ...updates.flatMap((update) => updateText(update, isOne ? paceText(change, limits) : "", limits, colours)),
    ...(isOne || paceText(change, limits) === "" ? [] : indented(paceText(change, limits).slice(2), 2, limits, dim)),
    ...shown.flatMap(({ message }) => indented(printable(`waits: ${message}`), 2, limits, yellow)),
    ...more(waits.length - shown.length, 2, dim),
  ].join("\n");
}

/** `, one at a time, in this order`: of one update after its nodes, of several with all nodes. */
function paceText({ order, atOnce, updates }: PoolChange, { most }: Limits): string {
  if (order.length <= atOnce) return "";
  const pace = `, ${atOnce === 1 ? "one" : atOnce} at a time, in this order`;
  return updates.length === 1 ? pace : `${pace}: ${namesText(order, most)}`;
}

function updateText(update: PoolUpdate, pace: string, limits: Limits, colours: Colours): string[] {
  const { nodes } = update;
  return nodes.length > 0
    ? actionLines(nodeNames(nodes, limits.most), update, { pace, limits, colours })
    : [...indented("No node is in it.", 2, limits, colours.dim), ...contentLines(update, limits, colours)];
}

interface How {
  /** Default: the smallest sufficient action. */
  readonly what?: string | undefined;
  readonly pace: string;
  readonly limits: Limits;
  readonly colours: Colours;
}

/** What is done to nodes, why, and what changes there. */
export function actionLines(
  whose: string,
  update: Omit<PoolUpdate, "nodes">,
  { what, pace, limits, colours }: How,
): string[] {
  const { dim, yellow, red } = colours;
  const { level, because, problem } = update;
  const done = problem === undefined ? (what ?? actionsText(update)) : "refused";
  const paint = level === "reboot" || level === "drain" ? yellow : dim;
  return [
    ...indented(`${whose}: ${printable(done)}${pace}`, 2, limits, problem === undefined ? paint : red),
    ...(problem === undefined ? [] : indented(printable(problem), 4, limits, red)),
    ...(because.length > 0 ? indented(printable(`because of ${listed(because, limits.changes)}`), 4, limits, dim) : []),
    ...contentLines(update, limits, colours),
  ];
}

function contentLines({ contents }: Pick<PoolUpdate, "contents">, limits: Limits, colours: Colours): string[] {
  const shown = few(contents, limits.changes);
  return [...shown.map((one) => contentLine(one, colours)), ...more(contents.length - shown.length, 4, colours.dim)];
}

const signs = { add: "+", change: "~", remove: "-" } as const;

function contentLine({ type, name, change }: ContentChange, { green, yellow, red }: Colours): string {
  const paint = { add: green, change: yellow, remove: red }[change];
  return `    ${paint(signs[change])} ${type === "setting" ? "" : `${type} `}${printable(name)}`;
}

/** `drain, restart kubelet.service` */
export function actionsText({ level, drain, actions }: Pick<PoolUpdate, "level" | "drain" | "actions">): string {
  if (level === "reboot") return "drain, reboot";
  const texts = actions.map(actionText).filter((text) => text !== "");
  const all = [...new Set([...(drain ? ["drain"] : []), ...texts])];
  return all.length > 0 ? all.join(", ") : "nothing is restarted";
}

function actionText(action: PolicyAction): string {
  switch (action.type) {
    case "Reload":
    case "Restart":
      return `${action.type.toLowerCase()} ${action.service}`;
    case "DaemonReload":
      return "reload systemd";
    case "Special":
      return "reload crio.service";
    case "Reboot":
      return "reboot";
    case "Drain":
      return "drain";
    case "None":
      return "";
  }
}

function listed(names: readonly string[], most: number): string {
  const all = [...new Set(names)];
  const shown = few(all, most);
  return `${shown.join(", ")}${all.length > shown.length ? ` and ${all.length - shown.length} more` : ""}`;
}

/** "1 more" would be no shorter than what it stands for. */
function few<T>(all: readonly T[], most: number): readonly T[] {
  return all.length > most + 1 ? all.slice(0, most) : all;
}

function more(count: number, indent: number, paint: (text: string) => string): string[] {
  return count > 0 ? [`${" ".repeat(indent)}${paint(`… and ${count} more, shown by -o wide`)}`] : [];
}

export function indented(text: string, indent: number, { columns }: Limits, paint: (text: string) => string): string[] {
  return paragraph([{ text, paint }], columns ?? widestLine, indent);
}
