import { collapseBlanks, unquote } from "../../tuned/plugin-text.ts";
import type { Setting } from "../../tuned/unit.ts";
import { isSameValue } from "../../tuned/value.ts";
import { wantedValue } from "../modifier.ts";
import type { Observe, Plugin, Step } from "../plugin.ts";
import { sysctlPath } from "./sysctl-path.ts";

/** `[sysctl]`: options are kernel parameters. */
export const sysctl: Plugin = {
  type: "sysctl",
  async plan(unit, observe) {
    const steps: Step[] = [];
    for (const [option, setting] of unit.options) steps.push(await planOption(option, setting, observe));
    return steps;
  },
};

/** The kernel has these under two names, and TuneD refuses the older one. */
const deprecated = new Set(["base_reachable_time", "retrans_time"]);

async function planOption(option: string, { value, from }: Setting, observe: Observe): Promise<Step> {
  const impossible = (message: string): Step => ({ type: "impossible", option, from, message });
  const path = sysctlPath(option);
  if (path === undefined) return impossible("is not the name of a kernel parameter");
  if (deprecated.has(path.slice(path.lastIndexOf("/") + 1)))
    return impossible("is deprecated by the kernel and not set");

  const file = await observe.host.read(path);
  if (file.type === "missing") return impossible(`this node's kernel has no ${path}`);
  if (file.type === "failed") return impossible(`cannot read the original value: ${file.message}`);
  const before = file.text.trimEnd();
  if (before.includes("\n")) return impossible(`cannot keep the original value: ${path} has several lines`);

  const wanted = wantedValue(unquote(value), path, before, observe);
  const same = isSameValue(collapseBlanks(wanted), collapseBlanks(before));
  return {
    type: same ? "same" : "change",
    option,
    from,
    target: path,
    before,
    value: same ? before : wanted,
    actions: [{ type: "write", path, value: wanted }],
    undo: [{ type: "write", path, value: before }],
  };
}
