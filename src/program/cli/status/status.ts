import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import type { statusFlags } from "../flags.ts";
import { readOnlyClient } from "../../gather/read-only-client.ts";
import type { Values } from "../option/flag.ts";
import { Redraw, type Size } from "../terminal/redraw.ts";
import { serialised } from "../terminal/serialise.ts";
import { type CommandContext, printable, processTerminal, screenSize } from "../terminal/terminal.ts";
import { clusterToRead } from "../up/running-cluster.ts";
import { followStatus } from "./follow-status.ts";
import { gatherStatus, type StatusSource } from "./gather-status.ts";
import { type StatusReport, statusReport } from "./status-report.ts";
import { statusText } from "./status-text.ts";

export type StatusOptions = Values<typeof statusFlags>;

/** `attune status`. */
export async function status(options: StatusOptions): Promise<void> {
  const terminal = processTerminal();
  const client = new HttpClient(await clusterToRead(options, { note: terminal.err }));
  try {
    const { signal } = stopOnSignals();
    const { namespace, systemNamespace: system } = options;
    const source = { client: readOnlyClient(client), namespace, system, signal };
    await statusOf(source, options, { terminal, signal, size: screenSize() });
  } finally {
    client.close();
  }
}

interface StatusContext extends CommandContext {
  /** Absent where the output is no terminal. */
  readonly size?: Size | undefined;
}

export async function statusOf(
  source: StatusSource,
  options: Pick<StatusOptions, "output" | "watch" | "by">,
  context: StatusContext,
): Promise<void> {
  const { terminal } = context;
  const { output, watch } = options;
  if (watch) {
    if (output === "json" || output === "yaml") throw new Error(`--watch: not with -o ${output}; use table or wide`);
    return watchStatus(source, options, context);
  }
  const now = Date.now();
  const report = statusReport(await gatherStatus(source), now);
  if (output === "json" || output === "yaml") return terminal.out(await serialised(report, output));
  terminal.out(textOf(report, options, context, now));
}

function textOf(
  report: StatusReport,
  { output, by }: Pick<StatusOptions, "output" | "by">,
  { terminal }: StatusContext,
  now: number,
): string {
  const { colours, columns } = terminal;
  return statusText(report, { wide: output === "wide", by, now, colours, columns });
}

/** On a terminal the text changes in its place. Elsewhere each change is a line. */
async function watchStatus(
  source: StatusSource,
  options: Pick<StatusOptions, "output" | "by">,
  context: StatusContext,
): Promise<void> {
  const { terminal, size } = context;
  const redraw = new Redraw(terminal.out, size);
  let before: StatusReport | undefined;
  await followStatus(source, (objects) => {
    const now = Date.now();
    const report = statusReport(objects, now);
    const text = textOf(report, options, context, now).trimEnd();
    if (size) redraw.draw(cut(text, size));
    else if (before) for (const line of changes(before, report)) terminal.out(`${line}\n`);
    else terminal.out(`${text}\n`);
    before = report;
  });
}

/** What does not fit could not be replaced later. */
function cut(text: string, { rows }: Size): string {
  const lines = text.split("\n");
  const room = rows - 2;
  return lines.length <= room ? text : [...lines.slice(0, room - 1), "…"].join("\n");
}

function changes(before: StatusReport, after: StatusReport): string[] {
  const known = new Map(before.nodes.map((row) => [row.name, row]));
  const rows = after.nodes.filter(({ name, state, because, profile }) => {
    const old = known.get(name);
    return old?.state !== state || old.because !== because || old.profile !== profile;
  });
  const gone = before.nodes.filter(({ name }) => !after.nodes.some((row) => row.name === name));
  return [
    ...rows.map(({ name, state, profile, because }) =>
      printable(`${name}   ${state}   ${profile || "no profile"}${because === "" ? "" : `   ${because}`}`),
    ),
    ...gone.map(({ name }) => `${printable(name)}   deleted`),
    ...(before.answer === after.answer ? [] : [printable(after.answer)]),
  ];
}
