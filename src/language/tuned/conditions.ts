import type { ExpandContext } from "./expand.ts";
import type { Findings } from "./findings.ts";
import { searching } from "./functions/built-in.ts";
import { newBudget } from "./budget.ts";
import { type Probe, probeKey } from "./probe.ts";
import { placeOf, type Setting } from "./unit.ts";

/** `sysname nodename release version machine`, as Python's os.uname() has them. */
export const unameProbe: Probe = { type: "exec", argv: ["uname", "-snrvm"] };
export const cpuinfoProbe: Probe = { type: "file", path: "/proc/cpuinfo" };

/** The cheaper probe first; the other is asked only if the first condition is met. */
const conditions = [
  ["uname_regex", unameProbe],
  ["cpuinfo_regex", cpuinfoProbe],
] as const;

export type Condition =
  | { type: "met" }
  /** `uname_regex=aarch64` */
  | { type: "unmet"; condition: string }
  /** The node has not been asked yet. */
  | { type: "unknown" };

/** Whether a section is for this node. */
export function conditionOf(
  attributes: ReadonlyMap<string, Setting>,
  { answers, budget = newBudget() }: ExpandContext,
  findings: Findings,
): Condition {
  for (const [name, probe] of conditions) {
    const regex = attributes.get(name);
    if (!regex) continue;
    const answer = answers.get(probeKey(probe));
    if (!answer) {
      findings.ask([probe]);
      return { type: "unknown" };
    }
    const text = answer.type === "text" ? answer.text : "";
    const words = probe === unameProbe ? text.trimEnd() : text;
    const searched = searching(regex.value, words, budget, { multiline: true });
    if (searched.type !== "found") findings.problem({ ...placeOf(regex), message: searched.message });
    else if (!searched.found) return { type: "unmet", condition: `${name}=${regex.value}` };
  }
  return { type: "met" };
}
