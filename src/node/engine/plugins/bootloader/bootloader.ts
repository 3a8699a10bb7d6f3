import { bootCommandLine } from "../../../../language/tuned/boot-arguments.ts";
import { truthDigit, unquote } from "../../../../language/tuned/value.ts";
import type { Setting, Unit } from "../../../../language/tuned/unit.ts";
import type { Change, Observe, Plugin, Step } from "../../plugin.ts";
import { isBelow } from "../../../../language/tuned/chain/path.ts";
import { planGrub } from "./grub.ts";
import { planInitrd } from "./initrd.ts";
import { hasBootc, ostreeArguments, ostreeState, planBootc, planOstree, wordsOf } from "./ostree.ts";
import { isWritten, readBootState, statePath, unwritable, writeBootState } from "./state.ts";
import { impossible, skipped, unknownOptions, type Wanted, wantedOf } from "../steps.ts";

const known = new Set([
  "grub2_cfg_file",
  "initrd_dst_img",
  "initrd_add_img",
  "initrd_add_dir",
  "initrd_remove_dir",
  "skip_grub_config",
]);
const template = "00_tuned";

/** `[bootloader]`: kernel arguments from the next boot on, until the profile is rolled back. */
export const bootloader: Plugin = {
  type: "bootloader",
  // Boot arguments are of no effect before the next boot, and programs take seconds to read them.
  follows: [],

  async plan(unit, observe) {
    const options = new Map([...unit.options].filter(([option]) => !option.startsWith("cmdline")));
    const unknown = unknownOptions({ ...unit, options }, known);
    const wanted = wantedArguments(unit, observe);
    const about = wanted ?? aboutUnit(unit);
    if (!(await observe.host.list("/etc/grub.d")).includes(template))
      return [...unknown, skipped(about, `this node's GRUB has no template ${template}`, { level: "info" })];
    if (laterUnit(unit, observe)) return [...unknown, skipped(about, "a later unit sets the kernel arguments")];

    const text = wanted?.value ?? "";
    const refused = unwritable(text);
    if (refused !== undefined) return [...unknown, impossible(about, refused)];
    const loader = await loaderOf(observe);
    const steps = observe.purpose === "verify" ? [] : await planLoader({ unit, observe, about, wanted, loader });
    return [...unknown, ...steps, ...(wanted ? await running(wanted, observe, loader) : [])];
  },
};

/** The arguments of all `cmdline…` options; `undefined` where there are none. */
function wantedArguments({ options }: Unit, { profile }: Observe): Wanted | undefined {
  const last = [...options].findLast(([option]) => option.startsWith("cmdline"));
  if (!last || bootCommandLine(options) === "") return undefined;
  const values = new Map([...options].map(([option, { raw: _, ...setting }]): [string, Setting] => [option, setting]));
  const words = profile?.bootArguments ?? wordsOf(unquote(bootCommandLine(values)));
  return { option: "cmdline", value: words.join(" "), from: last[1].from };
}

function aboutUnit({ options }: Unit): Wanted {
  const [first] = options;
  return first ? wantedOf(...first) : { option: "", value: "", from: "" };
}

function laterUnit(unit: Unit, { profile }: Observe): boolean {
  const last = profile?.units.findLast(({ type, enabled, unmet }) => type === "bootloader" && enabled && !unmet);
  return last !== undefined && last.name !== unit.name;
}

type Loader = { type: "bootc" } | { type: "rpm-ostree"; state: string } | { type: "grub" };

async function loaderOf(observe: Observe): Promise<Loader> {
  const [bootc, state] = await Promise.all([hasBootc(observe), ostreeState(observe)]);
  if (bootc) return { type: "bootc" };
  return state === undefined ? { type: "grub" } : { type: "rpm-ostree", state };
}

interface LoaderInput {
  readonly unit: Unit;
  readonly observe: Observe;
  readonly about: Wanted;
  readonly wanted: Wanted | undefined;
  readonly loader: Loader;
}

/** TuneD verifies only the arguments of the running kernel. */
const lasting = { lasts: "persistent", verified: false } as const;

async function planLoader(input: LoaderInput): Promise<Step[]> {
  const { unit, loader, wanted } = input;
  if (truthDigit(unit.options.get("skip_grub_config")?.value ?? "") === "1") return writeStateOnly(input);
  switch (loader.type) {
    case "bootc":
      return [...withoutInitrd(unit, "bootc"), await withBootc(input)];
    case "rpm-ostree":
      return [...withoutInitrd(unit, "rpm-ostree"), ...(wanted ? [await withOstree(input, loader.state, wanted)] : [])];
    case "grub":
      return withGrub(input);
  }
}

/** With skip_grub_config another program configures the boot loader from TuneD's state file, which therefore stays. */
async function writeStateOnly({ observe, about, wanted }: LoaderInput): Promise<Step[]> {
  const state = await readBootState(observe);
  const value = wanted?.value ?? "";
  const note = writeBootState(value, "");
  const step: Change = {
    type: isWritten(state, note) ? "same" : "change",
    target: statePath,
    before: state.arguments,
    value,
    actions: [note],
    undo: [],
    ...lasting,
  };
  const left = value === "" ? [] : [skipped(about, `skip_grub_config: ${value} is only written to ${statePath}`)];
  return [{ option: about.option, from: about.from, ...step }, ...left];
}

function withoutInitrd({ options }: Unit, loader: string): Step[] {
  return [...options]
    .filter(([option, { value }]) => (option === "initrd_add_img" || option === "initrd_add_dir") && value !== "")
    .map(([option, setting]) => skipped(wantedOf(option, setting), `${loader} does not support further images`));
}

async function withBootc({ observe, about, wanted }: LoaderInput): Promise<Step> {
  const state = await readBootState(observe);
  const value = wanted?.value ?? "";
  // The state file may not outlive a boot here, so the running kernel's arguments are compared too.
  const same = state.arguments === value && (await missingWords(wordsOf(value), observe)).length === 0;
  const { option, from } = about;
  const target = "bootc kernel arguments";
  const type = same ? "same" : "change";
  return { option, from, type, target, before: state.arguments, value, ...planBootc(value, state), ...lasting };
}

async function withOstree({ observe }: LoaderInput, busy: string, wanted: Wanted): Promise<Step> {
  if (busy !== "idle")
    return impossible(wanted, `rpm-ostree is ${busy}: applied at the next attempt`, { verified: false });
  const present = await ostreeArguments(observe);
  if (!present) return impossible(wanted, "rpm-ostree does not list the kernel arguments");
  const state = await readBootState(observe);
  const { same, added, actions, undo } = planOstree(wordsOf(wanted.value), present, state);
  const { option, from } = wanted;
  const value = added.join(" ");
  // Other arguments need another undo, so they are another target.
  const target = `rpm-ostree kargs ${value}`;
  const type = same ? "same" : "change";
  return { option, from, type, target, before: state.arguments, value, actions, undo, ...lasting };
}

async function withGrub({ unit, observe, about, wanted }: LoaderInput): Promise<Step[]> {
  const state = await readBootState(observe);
  const initrd = await planInitrd(unit, observe, state);
  const steps: Step[] = [];
  const blamed = initrd.type === "impossible" ? unit.options.get(initrd.option) : undefined;
  if (initrd.type === "impossible" && blamed)
    steps.push(impossible(wantedOf(initrd.option, blamed), initrd.message, { verified: false }));
  if (!wanted && initrd.type !== "image") return steps;

  const setting = unit.options.get("grub2_cfg_file");
  const config = setting?.value === "" ? undefined : setting;
  if (config && !(isBelow(config.value, ["/boot", "/etc"]) && !config.value.split("/").includes("..")))
    return [...steps, impossible(wantedOf("grub2_cfg_file", config), "is neither below /boot nor /etc")];
  const value = wanted?.value ?? "";
  const image = initrd.type === "image" ? initrd : { target: "GRUB kernel arguments", path: "", actions: [], undo: [] };
  const grub = await planGrub({
    observe,
    state,
    arguments: value,
    initrd: image.path,
    ...(config ? { configPath: config.value } : {}),
  });
  const { option, from } = about;
  steps.push({
    option,
    from,
    // An image is made each time: whether the directory has changed since is not known.
    type: grub.same && image.actions.length === 0 ? "same" : "change",
    target: image.target,
    before: state.arguments,
    value,
    // The image first: GRUB's configuration must not name one that could not be made.
    actions: [...image.actions, ...grub.actions],
    undo: [...grub.undo, ...image.undo],
    ...lasting,
    ...(grub.notes.length > 0 ? { note: grub.notes.join("; ") } : {}),
  });
  return steps;
}

/** Compares with the running kernel: arguments that wait for the next boot are a difference. */
async function running(wanted: Wanted, observe: Observe, loader: Loader): Promise<Step[]> {
  const missing = await missingWords(wordsOf(wanted.value), observe, loader);
  if (observe.purpose === "apply")
    return missing.length === 0
      ? []
      : [
          skipped(wanted, `in force from the next boot on: ${missing.map(({ word }) => word).join(" ")}`, {
            level: "info",
          }),
        ];
  const { option, from } = wanted;
  return [
    {
      option,
      from,
      type: missing.length === 0 ? "same" : "change",
      target: loader.type === "rpm-ostree" ? "rpm-ostree kargs" : "/proc/cmdline",
      before: missing
        .map(({ found }) => found)
        .join(" ")
        .trim(),
      value: missing.map(({ word }) => word).join(" "),
      actions: [],
      undo: [],
    },
  ];
}

/** Each missing word with the one that stands instead, `a=2` for `a=1`. */
async function missingWords(
  words: readonly string[],
  observe: Observe,
  loader: Loader = { type: "grub" },
): Promise<{ word: string; found: string }[]> {
  const file = await observe.host.read("/proc/cmdline");
  const present =
    loader.type === "rpm-ostree"
      ? ((await ostreeArguments(observe)) ?? [])
      : wordsOf(file.type === "text" ? file.text : "");
  const keyOf = (word: string): string | undefined => word.split("=", 1)[0];
  return [...new Set(words)]
    .filter((word) => !present.includes(word))
    .map((word) => ({ word, found: present.find((other) => keyOf(other) === keyOf(word)) ?? "" }));
}
