import type { PolicyAction } from "../../../domain/machine-config/cost/disruption-policy.ts";
import type { ContentChange } from "../../../domain/plan/content-changes.ts";
import type { PoolChange, PoolUpdate } from "../../../domain/plan/pool-change.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { textWidth, wrapWords } from "../terminal/wrap.ts";
import { type Limits, nodeNames } from "./node-names.ts";

const happens = { create: "is created", change: "changes", delete: "is deleted" } as const;

/** What changes on the nodes of a pool, the smallest sufficient action, the order, and who waits for what. */
export function poolText(change: PoolChange, limits: Limits, colours: Colours): string {
  const { pool, objects, updates, waits } = change;
  const { bold, dim, yellow } = colours;
  const causes = objects.map(({ kind, name, change: how }) => `${kind} ${name} ${happens[how]}`);
  const title = bold(`Pool ${printable(pool)} gets another config`);
  return [
    title,
    ...(causes.length > 0 ? indented(printable(`(${causes.join(", ")})`), 2, limits, dim) : []),
    ...updates.flatMap((update) => updateText(update, change, limits, colours)),
    ...waits
      .slice(0, limits.most)
      .flatMap(({ message }) => indented(printable(`waits: ${message}`), 2, limits, yellow)),
    ...more(waits.length - limits.most, 2, dim),
  ].join("\n");
}

function updateText(update: PoolUpdate, { order, atOnce }: PoolChange, limits: Limits, colours: Colours): string[] {
  const { dim, yellow, red } = colours;
  const { nodes, level, because, contents, problem } = update;
  const named = nodes.length > 0 ? nodeNames(nodes, limits.most) : "No node is in it; a node would need";
  const pace =
    nodes.length > 0 && order.length > atOnce ? `, ${atOnce === 1 ? "one" : atOnce} at a time, in this order` : "";
  const what = problem === undefined ? actionsText(update) : "refused";
  const paint = level === "reboot" || level === "drain" ? yellow : dim;
  const shown = contents.length > limits.changes + 1 ? contents.slice(0, limits.changes) : contents;
  return [
    ...indented(`${named}: ${printable(what)}${pace}`, 2, limits, problem === undefined ? paint : red),
    ...(problem === undefined ? [] : indented(printable(problem), 4, limits, red)),
    ...(because.length > 0 ? indented(printable(`because of ${listed(because, limits.changes)}`), 4, limits, dim) : []),
    ...shown.map((one) => contentLine(one, colours)),
    ...more(contents.length - shown.length, 4, dim),
  ];
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
  const shown = all.length > most + 1 ? all.slice(0, most) : all;
  return `${shown.join(", ")}${all.length > shown.length ? ` and ${all.length - shown.length} more` : ""}`;
}

function more(count: number, indent: number, paint: (text: string) => string): string[] {
  return count > 0 ? [`${" ".repeat(indent)}${paint(`… and ${count} more, shown by -o wide`)}`] : [];
}

/** Lines that fit the terminal; those after the first are two columns further in. */
function indented(text: string, indent: number, { columns }: Limits, paint: (text: string) => string): string[] {
  const lines = wrapWords(text.split(" "), textWidth(columns, indent + 2));
  return lines.map((words, at) => `${" ".repeat(at === 0 ? indent : indent + 2)}${paint(words.join(" "))}`);
}
