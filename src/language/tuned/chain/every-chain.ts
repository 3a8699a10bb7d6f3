import { anyText, fits, hasHole, templatesOf } from "../argument-template.ts";
import { Findings } from "../findings.ts";
import { type Answers, mayBeRefused } from "../probe.ts";
import type { Profiles } from "../resolve.ts";
import { certainIncludes, type Include, parseIncludes } from "./include.ts";
import { type ChainLink, loadChain } from "./load-chain.ts";

/** Enough for any real profile: a few of its includes depend on the node, each with a few choices. */
const mostChains = 256;

/**
 * The chain of a profile for every way in which a node may answer, each in the order in which it is merged. Undefined if
 * there are too many, or a node may name any profile.
 */
export function everyChain({ profile, layers }: Profiles, answers: Answers): ChainLink[][] | undefined {
  const names = new Set(layers.flatMap((layer) => [...layer.keys()]));
  const choices = new Map<string, readonly (readonly Include[])[] | undefined>();
  const choicesIn = (text: string): readonly (readonly Include[])[] | undefined => {
    if (!choices.has(text)) choices.set(text, inclusions(text, names, answers));
    return choices.get(text);
  };
  const chains: ChainLink[][] = [];
  let tried = 0;
  /** Each is a way to begin: which choice is taken at the first includes that have several. */
  const open: (readonly number[])[] = [[]];
  for (let begin = open.pop(); begin; begin = open.pop()) {
    const taken = new Map<string, number>();
    const numbers = [...begin];
    let isUnknown = false;
    const chooseIncludes = (text: string): readonly Include[] => {
      const all = choicesIn(text);
      if (!all) isUnknown = true;
      if (!all || all.length <= 1) return all?.[0] ?? [];
      // A node gives the same answer to the same question.
      const number = taken.get(text) ?? numbers[taken.size] ?? 0;
      if (!taken.has(text) && taken.size === numbers.length) {
        for (let other = 1; other < all.length; other++) open.push([...numbers, other]);
        numbers.push(0);
      }
      taken.set(text, number);
      return all[number] ?? [];
    };
    const findings = new Findings();
    const requested = profile.split(/\s+/).filter((name) => name !== "");
    const links = loadChain(requested, layers, { answers, variables: new Map(), chooseIncludes }, findings);
    if (isUnknown || ++tried + open.length > mostChains) return undefined;
    // A node without one of the profiles cannot apply any of them.
    if (findings.problems.length === 0) chains.push(links);
  }
  return chains;
}

/** What an include text may name, each as a list; undefined if it may be anything. */
function inclusions(text: string, names: ReadonlySet<string>, answers: Answers): Include[][] | undefined {
  // Variables are not defined yet where includes are read.
  const templates = templatesOf(text, { of: () => undefined, answers });
  const lists = new Map<string, Include[]>();
  for (const template of templates ?? []) {
    const entries = parseIncludes(template);
    if (entries.some(({ name }) => name === anyText)) return undefined;
    let some: Include[][] = [[]];
    for (const entry of entries) {
      const may = hasHole(entry.name) ? named(entry, names) : [entry];
      some = some.flatMap((list) => may.map((one) => (one ? [...list, one] : list)));
      if (some.length > mostChains) return undefined;
    }
    for (const list of some) lists.set(JSON.stringify(list), list);
  }
  // Without the answer of a program that the node may not run, only these are included.
  if (mayBeRefused(text)) lists.set("certain", certainIncludes(text));
  return templates && [...lists.values()];
}

/** The profiles that an entry may name; undefined: none of them, where the entry is optional. */
function named(entry: Include, names: ReadonlySet<string>): (Include | undefined)[] {
  const found = [...names].filter((name) => fits(entry.name, name)).map((name) => ({ ...entry, name }));
  return entry.optional ? [...found, undefined] : found;
}
