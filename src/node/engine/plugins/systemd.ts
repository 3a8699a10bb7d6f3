import { cpusOf } from "../../../language/cpu/cpu-list.ts";
import type { Setting } from "../../../language/tuned/unit.ts";
import type { Observe, Plugin, Step } from "../plugin.ts";
import { linesOf } from "../text-after.ts";
import { unknownOption } from "./steps.ts";

const parent = "/etc";
const folder = `${parent}/systemd`;
const path = `${folder}/system.conf.d/00-tuned.conf`;
const key = "CPUAffinity";
const header = "# Please avoid changing this file, as it will\n# be overwritten by TuneD!\n[Manager]\n";

/** `[systemd]`: the CPUs of systemd and so of every service, from the next boot on. */
export const systemd: Plugin = {
  type: "systemd",
  async plan(unit, observe) {
    const steps: Step[] = [];
    for (const [option, setting] of unit.options)
      steps.push(
        option === "cpu_affinity" ? await planAffinity(setting, observe) : unknownOption("systemd", option, setting),
      );
    return steps;
  },
};

async function planAffinity({ value: text, from }: Setting, observe: Observe): Promise<Step> {
  const option = "cpu_affinity";
  const about = { option, from };
  // A minimal system may have no file in it.
  if (!(await observe.host.list(parent)).includes("systemd"))
    return { ...about, type: "skipped", level: "info", message: `this node has no systemd: there is no ${folder}` };
  const file = await observe.host.read(path);
  if (file.type === "failed") return { ...about, type: "impossible", message: file.message };
  const cpus = cpusOf(text.replaceAll(/["'\\]/g, ""));
  if (cpus.length === 0) return { ...about, type: "impossible", message: `${JSON.stringify(text)} is no list of CPUs` };
  const value = cpus.join(" ");
  const present = linesOf(key, file.type === "text" ? file.text : "");
  const before = present
    .at(-1)
    ?.slice((present.at(-1)?.indexOf("=") ?? 0) + 1)
    .trim();
  const isOurs = !(await observe.host.list(folder)).includes("system.conf.d");
  return {
    ...about,
    type: before !== undefined && cpusOf(before.replaceAll(/\s+/g, ",")).join(" ") === value ? "same" : "change",
    target: path,
    before: before ?? "",
    value,
    actions: [{ type: "edit", path, edit: { kind: "lines", key, lines: [`${key}=${value}`], header } }],
    undo: [
      { type: "edit", path, edit: { kind: "lines", key, lines: present, ...(file.type === "missing" && { header }) } },
      ...(isOurs ? [{ type: "prune", path: `${folder}/system.conf.d` } as const] : []),
    ],
    lasts: "persistent",
  };
}
