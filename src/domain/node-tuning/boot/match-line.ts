import { fits, isOpen, type Template } from "../../../language/tuned/argument-template.ts";

/** The arguments of an option such as `cmdline_hugepages`, in order. Each may become one of several lists of words. */
export interface LinePart {
  readonly arguments: readonly (readonly (readonly Template[])[])[];
  /** A node may leave the whole option out. */
  readonly isOptional: boolean;
}

/** Whether words are those of the parts, in their order. */
export function matchesLine(words: readonly string[], line: readonly LinePart[]): boolean {
  let places = new Set([0]);
  for (const part of line) {
    let ends = places;
    for (const alternatives of part.arguments) ends = endsOf(alternatives, words, ends);
    places = part.isOptional ? new Set([...places, ...ends]) : ends;
  }
  return places.has(words.length);
}

/** Every place where the argument may end that begins at one of these. */
function endsOf(
  alternatives: LinePart["arguments"][number],
  words: readonly string[],
  places: ReadonlySet<number>,
): Set<number> {
  const ends = new Set<number>();
  for (const templates of alternatives)
    for (const place of templates.reduce((reached, template) => after(template, words, reached), places))
      ends.add(place);
  return ends;
}

function after(template: Template, words: readonly string[], places: ReadonlySet<number>): ReadonlySet<number> {
  if (!isOpen(template))
    return new Set(
      [...places].filter((at) => at < words.length && fits(template, words[at] ?? "")).map((at) => at + 1),
    );
  const first = Math.min(...places);
  return new Set(words.flatMap((_, at) => (at >= first ? [at, at + 1] : [])).concat(...places));
}
