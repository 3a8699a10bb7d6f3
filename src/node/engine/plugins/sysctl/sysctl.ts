import { collapseBlanks, unquote } from "../../../../language/tuned/value.ts";
import type { Setting } from "../../../../language/tuned/unit.ts";
import { isAsWanted, wantedValue } from "../../wanted-value.ts";
import type { Action } from "../../action.ts";
import type { Observe, Plugin, Step } from "../../plugin.ts";
import { readSystemSysctls, type SystemSysctl, sysctlPath } from "./files.ts";

/** `[sysctl]`: options are kernel parameters. */
export const sysctl: Plugin = {
  type: "sysctl",
  // A device that appears brings files of its own.
  follows: ["resync", "devices"],
  async plan(unit, observe) {
    const steps: Step[] = [];
    for (const [option, setting] of unit.options) steps.push(await planOption(option, setting, observe));
    if (observe.purpose === "apply" && observe.reapplySysctl.enabled) steps.push(...(await reapply(steps, observe)));
    return steps;
  },
};

/** TuneD refuses these, which the kernel has under a newer name too. */
const deprecated = new Set(["base_reachable_time", "retrans_time"]);

async function planOption(option: string, { value, from }: Setting, observe: Observe): Promise<Step> {
  const impossible = (message: string): Step => ({ type: "impossible", option, from, message });
  const path = sysctlPath(option);
  if (path === undefined) return impossible("is not the name of a sysctl");
  if (deprecated.has(path.slice(path.lastIndexOf("/") + 1)))
    return impossible("is deprecated by the kernel and not set");

  const file = await observe.host.read(path);
  if (file.type === "missing") return impossible(`this node's kernel has no ${path}`);
  if (file.type === "failed") return impossible(`cannot read the original value: ${file.message}`);
  const before = file.text.trimEnd();
  if (before.includes("\n")) return impossible(`cannot keep the original value: ${path} has several lines`);

  const wanted = wantedValue(unquote(value), path, before, observe);
  const same = isAsWanted(collapseBlanks(wanted), collapseBlanks(before), observe);
  return {
    type: same ? "same" : "change",
    option,
    from,
    target: path,
    before,
    value: same ? before : wanted.trim(),
    actions: [{ type: "write", path, value: wanted }],
    undo: await undoSysctl(path, before, observe),
  };
}

/**
 * As in TuneD, the node's own sysctl files are applied again after the profile. That is not undone: their values are those
 * that the node is configured to have.
 */
async function reapply(own: readonly Step[], observe: Observe): Promise<Step[]> {
  const { values, malformed } = await readSystemSysctls(observe);
  const steps: Step[] = malformed.map((from) => ({
    type: "impossible",
    option: "",
    from,
    message: "is malformed: expected key = value",
  }));
  const planned = new Map(own.flatMap((step) => (step.type === "change" ? [[step.target, step.value]] : [])));
  for (const value of values) steps.push(...(await planSystem(value, planned, observe)));
  return steps;
}

async function planSystem(
  { key: option, value, from }: SystemSysctl,
  planned: ReadonlyMap<string, string>,
  observe: Observe,
): Promise<Step[]> {
  const target = sysctlPath(option);
  if (target === undefined) return [];
  const file = await observe.host.read(target);
  // The running kernel may lack some of them.
  if (file.type === "missing") return [];
  const before = planned.get(target) ?? (file.type === "text" ? file.text.trimEnd() : "");
  if (isAsWanted(collapseBlanks(value), collapseBlanks(before), observe)) return [];
  const actions = [{ type: "write", path: target, value }] as const;
  return [{ type: "change", option, from, target, before, value, actions, undo: [] }];
}

/** The kernel keeps each limit of dirty memory as bytes or as a ratio: setting one makes the other 0. */
const counterparts = new Map([
  ["/proc/sys/vm/dirty_bytes", "/proc/sys/vm/dirty_ratio"],
  ["/proc/sys/vm/dirty_ratio", "/proc/sys/vm/dirty_bytes"],
  ["/proc/sys/vm/dirty_background_bytes", "/proc/sys/vm/dirty_background_ratio"],
  ["/proc/sys/vm/dirty_background_ratio", "/proc/sys/vm/dirty_background_bytes"],
]);

/** Restores a sysctl. Where the original 0 meant that its counterpart is in force, the counterpart is written. */
export async function undoSysctl(path: string, before: string, observe: Observe): Promise<Action[]> {
  const other = before === "0" ? counterparts.get(path) : undefined;
  const file = other === undefined ? undefined : await observe.host.read(other);
  if (other === undefined || file?.type !== "text") return [{ type: "write", path, value: before }];
  return [{ type: "write", path: other, value: file.text.trim() }];
}
