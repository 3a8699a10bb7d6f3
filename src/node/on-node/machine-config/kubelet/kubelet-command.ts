import type { Host } from "../../../host/host.ts";
import { findUnit } from "../../../host/unit-files.ts";

/** A program of a node: its words, and the unit that runs it. */
export interface Command {
  readonly argv: readonly string[];
  readonly service: string;
}

type Files = Pick<Host, "read" | "list" | "real">;

/** The running program of one of these names. */
export async function runningCommand(host: Files, names: readonly string[]): Promise<Command | undefined> {
  for (const pid of (await host.list("/proc")).filter((name) => /^[0-9]+$/.test(name))) {
    const found = await host.read(`/proc/${pid}/cmdline`);
    const argv = found.type === "text" ? found.text.split("\0").filter((word) => word !== "") : [];
    const name = basename(argv[0] ?? "");
    if (names.includes(name)) return { argv, service: (await unitOf(host, pid)) ?? `${name}.service` };
  }
  return undefined;
}

/** The unit whose control group a process is in. */
async function unitOf(host: Files, pid: string): Promise<string | undefined> {
  const found = await host.read(`/proc/${pid}/cgroup`);
  return found.type === "text" ? /([^/\n]+\.service)(?:\/|$)/m.exec(found.text)?.[1] : undefined;
}

/** K3s runs the kubelet within itself. */
const distributions = ["k3s", "k3s-agent", "k3s-server", "rke2", "rke2-agent", "rke2-server"];

/** What runs this node's kubelet, or would run it. */
export async function kubeletCommand(host: Files): Promise<Command | undefined> {
  const running = (await runningCommand(host, ["kubelet"])) ?? (await runningCommand(host, distributions));
  if (running) return running;
  for (const service of ["kubelet.service", ...distributions.map((name) => `${name}.service`)]) {
    const command = await commandOfUnit(host, service);
    if (command) return command;
  }
  return undefined;
}

/** What a unit starts, with the variables of its files in place. Undefined: there is no such unit. */
export async function commandOfUnit(host: Files, service: string): Promise<Command | undefined> {
  const found = await findUnit(host, service);
  if (found.type !== "unit") return undefined;
  const { values } = found.unit;
  const line = values("Service", "ExecStart").at(-1);
  if (line === undefined) return undefined;
  const variables = new Map<string, string>();
  const assign = (text: string): void => {
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text);
    if (match) variables.set(match[1]!, unquoted(match[2]!));
  };
  for (const text of values("Service", "Environment")) words(text).forEach(assign);
  // Files come after the unit's own variables, as systemd reads them.
  for (const path of values("Service", "EnvironmentFile")) {
    const file = await host.read(path.replace(/^-/, ""));
    if (file.type === "text") for (const text of file.text.split("\n")) assign(text.trim());
  }
  const expanded = words(line.replace(/^[-@:+!]+/, "")).flatMap((word) => {
    // A variable that is a whole word is split at blanks; one within a word is not.
    const whole = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(word)?.[1];
    if (whole !== undefined) return words(variables.get(whole) ?? "");
    return [word.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => variables.get(name) ?? "")];
  });
  return { argv: expanded, service };
}

/** Flags of a command: `--a=b`, `--a b` and `--a`. */
export function flagsOf(argv: readonly string[]): Readonly<Record<string, string>> {
  const flags: Record<string, string> = {};
  for (const [index, word] of argv.entries()) {
    const match = /^--?([A-Za-z][A-Za-z0-9-]*)(?:=(.*))?$/s.exec(word);
    if (!match) continue;
    const next = argv[index + 1] ?? "";
    flags[match[1]!] = match[2] ?? (next.startsWith("-") ? "" : next);
  }
  return flags;
}

function words(text: string): string[] {
  return (text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map(unquoted);
}

function unquoted(text: string): string {
  return text.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? "");
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
