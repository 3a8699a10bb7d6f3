import type { PerftuneAction } from "../../domain/scylla/perftune/action.ts";
import type { NicFacts } from "../../domain/scylla/perftune/host-facts.ts";
import { activeOption, collapseBlanks, isSameValue } from "../../language/tuned/value.ts";
import type { Action } from "../engine/action.ts";
import { type Ledger, perftuneOwner } from "../engine/ledger.ts";
import type { Change } from "../engine/plugin.ts";
import { readEthtool } from "../engine/plugins/net/ethtool-output.ts";
import { interfaceFolder } from "../engine/plugins/net/link.ts";
import { linesOf } from "../engine/text-after.ts";
import type { UnitStep } from "../engine/unit-step.ts";
import type { FileText, Host } from "../host/host.ts";
import { affinityPath, bansTarget } from "./targets.ts";

/** What the steps of a run are planned on. */
export interface Planning {
  readonly host: Host;
  readonly ledger: Ledger;
}

type Of<Type extends PerftuneAction["type"]> = Extract<PerftuneAction, { type: Type }>;

/** Error codes for interrupts whose CPUs the kernel manages: EIO in older kernels, EPERM in newer ones. */
const managed = ["EIO", "EPERM"];

function about(option: string, device?: string): Pick<UnitStep, "unit" | "option" | "from" | "device"> {
  return { unit: perftuneOwner, option, from: "attune perftune", ...(device === undefined ? {} : { device }) };
}

/** A file of the kernel. It may be gone since the run was planned. */
export async function planWrite({ path, value }: Of<"write">, { host, ledger }: Planning): Promise<UnitStep> {
  const named = about(path);
  const target = path.startsWith("/proc/") ? path : await host.real(path);
  const file = await host.read(target);
  if (file.type === "missing") return { ...named, type: "skipped", message: `there is no ${path} any more` };
  if (file.type === "failed") return { ...named, type: "impossible", message: `cannot read ${path}: ${file.message}` };
  const before = activeOption(file.text, "everything").trim();
  const tolerate = path.startsWith("/proc/irq/") ? managed : [];
  const change: Omit<Change, "type"> = {
    target,
    before,
    value,
    actions: [{ type: "write", path: target, value, ...(tolerate.length > 0 ? { tolerate } : {}) }],
    undo: [{ type: "write", path: target, value: before, tolerate: [...tolerate, "ENOENT"] }],
  };
  const entry = ledger.find(target);
  const own = entry?.claims.find(({ owner }) => owner === perftuneOwner);
  // The kernel may round a value. A refusal is not tried again.
  const isKept = own?.value === value && own.kept === before;
  const isSame = isKept || entry?.refused === true || isSameValue(collapseBlanks(value), collapseBlanks(before));
  const alias = target === path ? {} : { alias: path };
  return { ...named, ...change, ...alias, type: isSame ? "same" : "change" };
}

/** One kind of channels of a card. Its IRQs and queues may be new afterwards, so undoing sets theirs again. */
export async function planChannelKind(
  { nic, count }: Of<"set-channels">,
  kind: "rx" | "combined",
  facts: NicFacts | undefined,
  planning: Planning,
): Promise<UnitStep> {
  const set = (to: string): Action => ({
    type: "run",
    argv: ["ethtool", "-L", nic, kind, to],
    needs: interfaceFolder(nic),
    // ethtool's exit code for a value that is set already.
    tolerate: [80],
  });
  const before = facts?.channels?.current[kind];
  return {
    ...about("channels", nic),
    type: before === count ? "same" : "change",
    target: `ethtool ${nic} channels ${kind}`,
    before: before === undefined ? "" : String(before),
    value: String(count),
    actions: [set(String(count))],
    // Without the number of before there is nothing to go back to.
    undo: before === undefined || !facts ? [] : [set(String(before)), ...(await restoreQueues(facts, planning))],
  };
}

/** Writes that give the IRQs and queues of a card what they had without this tuner. */
async function restoreQueues(nic: NicFacts, { host, ledger }: Planning): Promise<Action[]> {
  const queues = `${interfaceFolder(nic.name)}/queues`;
  const paths = [
    ...nic.irqs.map(affinityPath),
    ...nic.rpsQueues.map((queue) => `${queues}/rx-${queue}/rps_cpus`),
    ...nic.flowQueues.map((queue) => `${queues}/rx-${queue}/rps_flow_cnt`),
    ...nic.xpsQueues.map((queue) => `${queues}/tx-${queue}/xps_cpus`),
  ];
  const writes: Action[] = [];
  for (const path of paths) {
    const file = await host.read(path);
    if (file.type !== "text") continue;
    const target = path.startsWith("/proc/") ? path : await host.real(path);
    const value = ledger.find(target)?.before ?? file.text.trim();
    writes.push({ type: "write", path: target, value, tolerate: [...managed, "ENOENT"] });
  }
  return writes;
}

/** Whether the card sorts flows by itself. Most drivers cannot. */
export async function planNtuple({ nic, on }: Of<"set-ntuple">, { host }: Planning): Promise<UnitStep> {
  const named = about("features ntuple", nic);
  const value = on ? "on" : "off";
  const set = (to: string): Action => ({
    type: "run",
    argv: ["ethtool", "-K", nic, "ntuple", to],
    needs: interfaceFolder(nic),
    tolerate: [80],
  });
  const answer = await host.run(["ethtool", "-k", nic]);
  const isKnown = answer.type === "exited" && answer.code === 0;
  const before = isKnown ? readEthtool(answer.stdout).get("ntuple") : undefined;
  if (isKnown && before === undefined)
    return { ...named, type: "skipped", level: "info", message: `${nic} cannot switch ntuple` };
  return {
    ...named,
    type: before === value ? "same" : "change",
    target: `ethtool ${nic} features ntuple`,
    before: before ?? "",
    value,
    actions: [set(value)],
    undo: before === undefined ? [] : [set(before)],
  };
}

/**
 * The line of irqbalance's config that has the bans, in the current text of the file: other lines are other programs'. The
 * program that makes it effective belongs to it, when it is undone too.
 */
export async function planBans(
  { path, key, line, irqs }: Of<"ban-irqs">,
  effect: readonly Action[],
  { host }: Planning,
): Promise<UnitStep> {
  const named = about(`bans of ${irqs.length} IRQs`);
  const file = await host.read(path);
  if (file.type !== "text") return { ...named, type: "impossible", message: `cannot read ${path}: ${why(file)}` };
  const before = linesOf(key, file.text);
  const set = (lines: readonly string[]): Action => ({ type: "edit", path, edit: { kind: "lines", key, lines } });
  return {
    ...named,
    type: before.length === 1 && before[0] === line ? "same" : "change",
    target: bansTarget(path),
    before: before.join("\n"),
    value: line,
    actions: [set([line]), ...effect],
    undo: [set(before), ...effect],
    lasts: "persistent",
  };
}

/** The copy that other tuners leave of the file, for those that look for it. */
export async function planBackup({ path, backup, hasBackup }: Of<"ban-irqs">, { host }: Planning): Promise<UnitStep[]> {
  const file = await host.read(path);
  if (file.type !== "text" || hasBackup) return [];
  return [
    {
      ...about(`backup of ${path}`),
      type: "change",
      target: backup,
      before: "",
      value: `a copy of ${path}`,
      actions: [{ type: "file", path: backup, text: file.text }],
      undo: [{ type: "file", path: backup, text: null }],
      lasts: "persistent",
    },
  ];
}

function why(file: Exclude<FileText, { type: "text" }>): string {
  return file.type === "failed" ? file.message : "it is gone";
}
