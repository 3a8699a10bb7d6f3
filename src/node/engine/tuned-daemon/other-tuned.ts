import type { Host } from "../../host/host.ts";

/** A TuneD that Attune did not start: two daemons undo each other's work and take tuned values for originals. */
export type OtherTuned =
  | { readonly type: "service"; readonly message: string }
  | { readonly type: "process"; readonly pid: number; readonly message: string };

/** A TuneD whose Attune was killed. */
export interface Orphan {
  readonly pid: number;
}

export interface FoundTuned {
  readonly other?: OtherTuned;
  readonly orphan?: Orphan;
}

export const pidFile = "/run/attune/tuned.pid";

type ReadOnlyHost = Pick<Host, "read" | "list" | "run">;

/** `own`: the daemon that the calling supervisor runs. */
export async function findTuned(host: ReadOnlyHost, own?: number): Promise<FoundTuned> {
  const service = await activeService(host);
  if (service) return { other: service };
  const recorded = await recordedPid(host);
  for (const pid of await tunedProcesses(host)) {
    if (pid === own) continue;
    if (pid === recorded && (await isOrphan(host, pid))) return { orphan: { pid } };
    const whose = pid === recorded ? "of another Attune" : "not started by Attune";
    const message = `a TuneD ${whose} is running (process ${pid}): stop it, or choose the native engine`;
    return { other: { type: "process", pid, message } };
  }
  return {};
}

/** Without a running systemd, systemctl would wait or fail. */
async function activeService(host: ReadOnlyHost): Promise<OtherTuned | undefined> {
  if ((await host.list("/run/systemd/system")).length === 0) return undefined;
  const answer = await host.run(["systemctl", "is-active", "tuned.service"]);
  if (answer.type !== "exited") return undefined;
  const state = answer.stdout.trim();
  if (!["active", "activating", "reloading"].includes(state)) return undefined;
  const message =
    `tuned.service of the node is ${state}: ` +
    "run systemctl disable --now tuned there to hand over, or choose the native engine";
  return { type: "service", message };
}

async function recordedPid(host: ReadOnlyHost): Promise<number | undefined> {
  const file = await host.read(pidFile);
  return file.type === "text" && /^[0-9]{1,10}\s*$/.test(file.text) ? Number(file.text) : undefined;
}

async function tunedProcesses(host: ReadOnlyHost): Promise<number[]> {
  const found: number[] = [];
  for (const name of await host.list("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    const commandLine = await host.read(`/proc/${name}/cmdline`);
    if (commandLine.type === "text" && isTuned(commandLine.text.split("\0"))) found.push(Number(name));
  }
  return found.toSorted((a, b) => a - b);
}

/** `/usr/bin/python3 -Es /usr/sbin/tuned --no-dbus`, with any options. */
function isTuned([program = "", ...args]: string[]): boolean {
  if (!/^(.*\/)?python[0-9.]*$/.test(program)) return false;
  const script = args.find((word) => !word.startsWith("-"));
  return script !== undefined && /^(.*\/)?tuned$/.test(script);
}

/** A process whose parent has ended becomes a child of init, or of the container's init. */
async function isOrphan(host: ReadOnlyHost, pid: number): Promise<boolean> {
  const status = await host.read(`/proc/${pid}/status`);
  if (status.type !== "text") return false;
  const parent = Number(/^PPid:\s*([0-9]+)$/m.exec(status.text)?.[1] ?? "0");
  if (parent <= 1) return true;
  const adopter = await host.read(`/proc/${parent}/cmdline`);
  return adopter.type === "text" && /(^|\/)(systemd|tini|catatonit|dumb-init|conmon)\0/.test(adopter.text);
}
