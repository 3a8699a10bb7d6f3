import type { Setting } from "../../../language/tuned/unit.ts";
import { isSameValue } from "../../../language/tuned/value.ts";
import type { Action } from "../action.ts";
import type { Observe, Plugin, Step } from "../plugin.ts";
import { linesOf } from "../text-after.ts";

const path = "/etc/modprobe.d/tuned.conf";

interface Module {
  readonly name: string;
  readonly from: string;
  readonly options: string;
  /** `+r`: it is reloaded at once. */
  readonly reload: boolean;
}

/** `[modules]`: options of kernel modules, by module. */
export const modules: Plugin = {
  type: "modules",
  async plan(unit, observe) {
    const wanted = [...unit.options].map(([name, setting]) => moduleOf(name, setting));
    return observe.purpose === "verify" ? verify(wanted, observe) : apply(wanted, observe);
  },
};

function moduleOf(name: string, { value, from }: Setting): Module {
  const rest = value.replace(/^\s*\+r\s*,?\s*/, "");
  return { name, from, options: rest.trim(), reload: rest !== value };
}

/** The name becomes a word in modprobe's configuration and on its command line. */
function isModuleName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(name);
}

async function apply(wanted: readonly Module[], observe: Observe): Promise<Step[]> {
  const steps: Step[] = [];
  const found: Module[] = [];
  for (const module of wanted) {
    const refusal = await refusalOf(module, observe);
    if (refusal === undefined) found.push(module);
    else steps.push({ type: "impossible", option: module.name, from: module.from, message: refusal });
  }
  if (found.length === 0) return steps;
  const reloaded = found.filter(({ reload }) => reload);
  steps.push(...(await planOptions(found, observe)), ...reloaded.map(reloadStep));
  const [first] = found;
  if (first && reloaded.length > 0 && reloaded.length < found.length)
    steps.push({
      type: "skipped",
      level: "info",
      option: "",
      from: first.from,
      message: "modules that are loaded already get their new options with the next boot",
    });
  return steps;
}

async function refusalOf({ name, options }: Module, { host }: Observe): Promise<string | undefined> {
  if (!isModuleName(name)) return "is not the name of a kernel module";
  if (options.includes("\n")) return "options of a module are one line";
  const info = await host.run(["modinfo", name]);
  // Without modinfo the module is assumed to exist, as in TuneD.
  return info.type === "exited" && info.code > 0 ? "this node's kernel has no such module" : undefined;
}

/** A line for each module with options; lines of other programs stay. */
async function planOptions(found: readonly Module[], { host }: Observe): Promise<Step[]> {
  const file = await host.read(path);
  const text = file.type === "text" ? file.text : "";
  const header = file.type === "missing" ? { header: "" } : {};
  return found.flatMap(({ name, from, options }): Step[] => {
    if (options === "") return [];
    const key = `options ${name}`;
    const value = `${key} ${options}`;
    const present = linesOf(key, text);
    const set = (lines: readonly string[], more: { header?: string }): Action => ({
      type: "edit",
      path,
      edit: { kind: "lines", key, lines, ...more },
    });
    return [
      {
        type: present.length === 1 && present[0] === value ? "same" : "change",
        option: name,
        from,
        target: `options of module ${name}`,
        before: present.join("; "),
        value,
        actions: [set([value], { header: "" })],
        undo: [set(present, header)],
        lasts: "persistent",
      },
    ];
  });
}

function reloadStep({ name, from, options }: Module): Step {
  const actions: Action[] = [
    { type: "run", argv: ["modprobe", "-r", name], tolerate: anyCode },
    { type: "run", argv: ["modprobe", name] },
  ];
  // Nothing to undo: whether the module was loaded before, or loaded itself since, is not known.
  return {
    type: "change",
    option: name,
    from,
    target: `module ${name}`,
    before: "",
    value: `loaded with ${options === "" ? "no options" : options}`,
    actions,
    undo: [],
    always: true,
  };
}

/** Unloading fails for a module that is in use or not loaded. */
const anyCode = Array.from({ length: 255 }, (_, index) => index + 1);

async function verify(wanted: readonly Module[], { host }: Observe): Promise<Step[]> {
  const steps: Step[] = [];
  for (const { name: option, from, options } of wanted) {
    const about = { option, from };
    const folder = `/sys/module/${option}`;
    if (!isModuleName(option) || (await host.list("/sys/module")).indexOf(option.replaceAll("-", "_")) < 0) {
      steps.push({ ...about, type: "impossible", message: "the module is not loaded" });
      continue;
    }
    for (const word of options.split(/\s+/).filter((one) => one !== "")) {
      const [name = "", ...rest] = word.split("=");
      if (rest.length === 0) {
        steps.push({ ...about, type: "skipped", message: `${JSON.stringify(word)} is no option of a module` });
        continue;
      }
      const target = `${folder.replaceAll("-", "_")}/parameters/${name}`;
      const file = name.includes("/") ? undefined : await host.read(target);
      if (file?.type !== "text") continue;
      const [value, before] = [rest.join("="), file.text.trim()];
      const type = isSameValue(value, before) ? "same" : "change";
      steps.push({ ...about, type, target, before, value, actions: [], undo: [] });
    }
  }
  return steps;
}
