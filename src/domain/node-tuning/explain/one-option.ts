import { didYouMean } from "./near-names.ts";
import type { NodeExplanation } from "./explain-node.ts";
import type { SettingExplanation } from "./settings.ts";

/** What an explanation says of one setting or boot argument: `vm.swappiness`, `cpu.governor`, `nohz_full`. */
export function onlyOption<T extends NodeExplanation>(explanation: T, option: string): T {
  const { boot, rules } = explanation;
  const settings = explanation.settings.filter((setting) => isAbout(setting, option));
  const isBoot = hasArgument(boot?.wanted ?? [], option);
  if (settings.length === 0 && !isBoot) throw new Error(whyNone(explanation, option));
  return {
    ...explanation,
    boot: isBoot ? boot : undefined,
    rules: rules.filter(({ outcome }) => outcome === "chosen"),
    settings,
    tuneds: [],
    chain: explanation.chain.filter(({ file }) => isSource(file, settings)),
  };
}

/** Whether lines of a profile set one of the settings, or a value that is overridden. */
function isSource(file: string, settings: readonly SettingExplanation[]): boolean {
  const lines = settings.flatMap(({ from, overrides }) => [from, ...overrides.map((old) => old.from)]);
  return lines.some((line) => line.startsWith(`${file}:`));
}

function isAbout({ unit, option: name, wanted, state }: SettingExplanation, option: string): boolean {
  if ([name, `${unit}.${name}`, `${unit}/${name}`].includes(option)) return true;
  // A plus sign adds to what other profiles set.
  return state === "boot" && hasArgument(wanted.replace(/^\+/, "").split(/\s+/), option);
}

function hasArgument(words: readonly string[], option: string): boolean {
  return words.some((word) => word === option || word.startsWith(`${option}=`));
}

function whyNone({ node, profile, chain, settings }: NodeExplanation, option: string): string {
  if (profile === undefined) return `node ${node} has no profile, so nothing sets ${option}`;
  // The own profile of a cloud provider may have the name of the one that it includes.
  const chained = [...new Set(chain.map((one) => one.profile))];
  const profiles = chained.length > 1 ? `the profiles ${chained.join(", ")}` : `profile ${profile}`;
  const names = settings.map((one) => one.option);
  const hint = didYouMean(option, names) || didYouMean(option.split(/[./]/).at(-1) ?? option, names);
  return `nothing in ${profiles} of node ${node} sets ${option}${hint || `; attune explain node ${node} lists what is set`}`;
}
