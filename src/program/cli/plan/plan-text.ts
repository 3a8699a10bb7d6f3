import type { ObjectFinding } from "../../../domain/finding.ts";
import type { BootChange } from "../../../domain/plan/boot-changes.ts";
import { changesAnything, type PlannedObject } from "../../../domain/plan/change-plan.ts";
import type { Level } from "../../../domain/machine-config/cost/cost-of.ts";
import { changesNodes, type NodePoolChange } from "../../../domain/plan/node-pools/node-pool-change.ts";
import type { PlanDocument } from "../../plan/plan-objects.ts";
import { type Cell, linesText, tableOrLines } from "../terminal/text-table.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { paragraph, textWidth, wrapWords } from "../terminal/wrap.ts";
import type { Limits } from "./node-names.ts";
import { nodePoolText } from "./node-pool-text.ts";
import { nodesText } from "./node-text.ts";
import { poolText } from "./pool-text.ts";
import { scyllaText } from "./scylla-text.ts";

interface Style {
  /** Every node by name. */
  readonly wide?: boolean;
  /** Of the terminal. */
  readonly columns?: number | undefined;
}

/** A plan as text. */
export function planText(document: PlanDocument, colours: Colours, { wide = false, columns }: Style = {}): string {
  const limits = { most: wide ? Infinity : 3, changes: wide ? Infinity : 6, columns };
  const parts = [
    ...document.objects.map((object) => objectText(object, limits, colours)),
    ...document.changes.map((change) => nodesText(change, limits, colours)),
    ...document.boot.map((change) => bootText(change, limits, colours)),
    ...document.pools.map((change) => poolText(change, limits, colours)),
    ...(document.nodePools ?? []).map((change) =>
      nodePoolText(change, { ...limits, findings: document.findings }, colours),
    ),
    ...scyllaText(document.scylla, limits, colours),
    findingsText(document.findings, colours, columns),
    skippedText(document, colours, columns),
    summary(document, colours, columns),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The author of a new object knows what is in it: its first lines are enough. */
const longestNew = 40;

const signs = { create: "+", change: "~", delete: "-" } as const;

function objectText(object: PlannedObject, { most, columns }: Limits, colours: Colours): string {
  const { place, kind, namespace, name, change, derived, diff } = object;
  const { bold, dim, green, red, yellow } = colours;
  const named = printable(`${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
  const where = { text: `(${printable(place)})`, paint: dim };
  if (change === "none")
    return paragraph([{ text: `= ${named} stays as it is`, paint: dim }, where], columns).join("\n");
  const sign = signs[change];
  const by = derived
    ? ` by the ${change === "delete" && place.startsWith("owned by") ? "garbage collector" : "operator"}`
    : "";
  const what = { text: `would be ${change}d${by}`, paint: String };
  const title = paragraph(
    [{ text: sign, paint: { "+": green, "~": yellow, "-": red }[sign] }, { text: named, paint: bold }, what, where],
    columns,
  );
  // What is in an object that goes is of no use.
  if (change === "delete" && most !== Infinity) return title.join("\n");
  const lines = diff.trimEnd().split("\n");
  const shown =
    most === Infinity || change === "change" || lines.length <= longestNew ? lines : lines.slice(0, longestNew / 2);
  const more = lines.length - shown.length;
  return [
    ...title,
    ...shown.map((line) => diffLine(most === Infinity ? line : cutLine(line, columns), colours)),
    ...(more > 0 ? [dim(`  … and ${more} lines more, shown by -o wide`)] : []),
  ].join("\n");
}

/** A line of a file, which would be no easier to read in two. */
function cutLine(line: string, columns: number | undefined): string {
  return columns === undefined || line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}

function diffLine(line: string, { green, red, cyan }: Colours): string {
  const safe = printable(line);
  if (line.startsWith("@@")) return cyan(safe);
  return line.startsWith("+") ? green(safe) : line.startsWith("-") ? red(safe) : safe;
}

const wordsIndent = "  before   ".length;

function bootText({ machineConfig, before, after, pools }: BootChange, limits: Limits, colours: Colours): string {
  const { columns } = limits;
  const { bold, red, green, dim } = colours;
  const old = before ?? [];
  const fresh = after ?? [];
  const words = (list: readonly string[], others: readonly string[], paint: (text: string) => string): string =>
    wrapWords(list.map(printable), textWidth(columns, wordsIndent))
      .map((line) => line.map((word) => (others.includes(word) ? word : paint(word))).join(" "))
      .join(`\n${" ".repeat(wordsIndent)}`) || dim("none");
  const what = after ? (before ? "changes" : "is created") : "is deleted";
  return [
    ...paragraph(
      [
        { text: `Boot arguments of ${poolNames(pools)}`, paint: bold },
        { text: `(MachineConfig ${printable(machineConfig)} ${what})`, paint: dim },
      ],
      columns,
    ),
    `  before   ${words(old, fresh, red)}`,
    `  after    ${words(fresh, old, green)}`,
  ].join("\n");
}

function poolNames(pools: readonly string[]): string {
  return `${pools.length > 1 ? "the pools" : "the pool"} ${printable(pools.join(", ")) || "none"}`;
}

function findingsText(findings: readonly ObjectFinding[], colours: Colours, columns: number | undefined): string {
  const { red, yellow, dim, bold } = colours;
  if (findings.length === 0) return "";
  const paints = { error: red, warning: yellow, note: dim };
  const rows = findings.map(({ severity, about, message }): Cell[] => [
    { text: severity, paint: paints[severity] },
    printable(about),
    printable(message),
  ]);
  const lines = findings.flatMap(({ severity, about, message }): Cell[][] => [
    [{ text: printable(`${severity}: ${about}`), paint: paints[severity] }],
    [`    ${printable(message)}`],
  ]);
  return `${bold("Findings")}\n${tableOrLines(linesText(rows), lines, columns)}`;
}

function skippedText({ skipped }: PlanDocument, { bold, dim }: Colours, columns: number | undefined): string {
  if (skipped.length === 0) return "";
  const rows = skipped.map(({ kind, name, place, because }): Cell[] => [
    printable(`${kind} ${name}`),
    { text: because, paint: dim },
    { text: printable(place), paint: dim },
  ]);
  return `${bold("Skipped")}\n${linesText(rows, columns)}`;
}

function summary(document: PlanDocument, { bold, green, yellow }: Colours, columns: number | undefined): string {
  if (!changesAnything(document)) return green("Nothing would change.");
  const { objects, changes, pools, nodePools = [], scylla } = document;
  const count = (change: PlannedObject["change"]): number =>
    objects.filter((one) => one.change === change && !one.derived).length;
  const derived = objects.filter((one) => one.derived && one.change !== "none" && one.change !== "delete").length;
  const owned = objects.filter((one) => one.derived && one.change === "delete").length;
  const counts = (["create", "change", "delete"] as const).flatMap((change) =>
    count(change) > 0 || (change !== "delete" && count("delete") === 0) ? `${count(change)} to ${change}` : [],
  );
  const updates = pools.flatMap((pool) => pool.updates);
  const sum = (some: readonly NodePoolChange[]): number => some.reduce((all, one) => all + one.nodes, 0);
  const touched =
    new Set([...changes, ...updates, ...(scylla?.agents ?? [])].flatMap((change) => change.nodes)).size +
    sum(nodePools.filter(changesNodes));
  const nodes = document.nodes + sum(nodePools);
  const at = (level: Level): number =>
    new Set(updates.filter((one) => one.level === level).flatMap((one) => one.nodes)).size +
    sum(nodePools.filter(({ rollout }) => rollout?.level === level && rollout.upgradeType === "InPlace"));
  const anew = sum(nodePools.filter(({ rollout }) => rollout?.upgradeType === "Replace"));
  const [reboots, drains] = [at("reboot"), at("drain")];
  const painted = (text: string, paint: (text: string) => string = String) => ({ text, paint });
  const last =
    reboots > 0 ? painted(`${reboots} ${reboots === 1 ? "reboots" : "reboot"}`, yellow) : painted("none reboots");
  const parts = [
    painted("Plan:", bold),
    painted(
      `${[...counts, ...(derived > 0 ? [`${derived} by the operator`] : []), ...(owned > 0 ? [`${owned} with it`] : [])].join(", ")};`,
    ),
    painted(
      `${derived + owned > 0 ? "then " : ""}${touched} of ${nodes} ${nodes === 1 ? "node changes" : "nodes change"};`,
    ),
    ...(anew > 0 ? [painted(`${anew} ${anew === 1 ? "is" : "are"} replaced;`, yellow)] : []),
    ...(drains > 0 ? [painted(`${drains} ${drains === 1 ? "is" : "are"} drained;`, yellow)] : []),
    { ...last, text: `${last.text}.` },
    painted("Nothing has been changed."),
  ];
  return paragraph(parts, columns).join("\n");
}
