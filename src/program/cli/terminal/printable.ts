const named = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** One line that cannot do anything to a terminal: profiles are not always written by whoever looks at them. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => named.get(character) ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
