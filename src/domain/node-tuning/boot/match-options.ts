import { fits, type Template } from "../../../language/tuned/argument-template.ts";

/** The arguments of a text in their order, each as every list of words that it may become. */
export type ShapedText = readonly (readonly (readonly Template[])[])[];

/** An option of a bootloader section, such as `cmdline_hugepages`. */
export interface BootOption {
  /** One for each profile that may set it. */
  readonly texts: readonly ShapedText[];
  readonly isRequired: boolean;
  /** The file of the only profile that defines it: its options keep their order. Undefined if there are several. */
  readonly file: string | undefined;
}

/** Enough for any real profile; options that begin alike could otherwise be tried in every order. */
const mostTries = 10_000;

/** Whether words consist of the texts of options, each at most once, in an order in which profiles may merge them. */
export function matchesOptions(words: readonly string[], options: readonly BootOption[]): boolean {
  const tried = new Set<string>();
  const open: { at: number; used: readonly number[] }[] = [{ at: 0, used: [] }];
  for (let state = open.pop(); state && tried.size < mostTries; state = open.pop()) {
    const { at, used } = state;
    const isLeftOut = (option: BootOption, index: number): boolean =>
      used.includes(index) || !option.isRequired || endsOf(option, words, at).has(at);
    if (at === words.length && options.every(isLeftOut)) return true;
    for (const [index, option] of options.entries()) {
      const isLate = used.some((other) => other > index && isOrdered(option, options[other]));
      if (isLate || used.includes(index)) continue;
      const now = [...used, index].toSorted((a, b) => a - b);
      for (const end of endsOf(option, words, at)) {
        const key = `${end}: ${now.join()}`;
        if (end > at && !tried.has(key)) open.push({ at: end, used: now });
        tried.add(key);
      }
    }
  }
  return false;
}

function isOrdered(option: BootOption, other: BootOption | undefined): boolean {
  return option.file !== undefined && option.file === other?.file;
}

/** Every place where a text of the option that begins at this place may end. */
function endsOf({ texts }: BootOption, words: readonly string[], start: number): Set<number> {
  const ends = texts.flatMap((text) => {
    let places = new Set([start]);
    for (const alternatives of text) {
      const next = new Set<number>();
      for (const place of places)
        for (const templates of alternatives)
          if (templates.every((template, i) => fits(template, words[place + i] ?? "")))
            next.add(place + templates.length);
      places = next;
    }
    return [...places];
  });
  return new Set(ends);
}
