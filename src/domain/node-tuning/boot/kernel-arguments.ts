/**
 * A kernel command line as its arguments, in order. Quotes hold spaces together and stay where they are; nothing escapes
 * them, as in the kernel.
 */
export function splitArguments(line: string): string[] {
  const found: string[] = [];
  let current = "";
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    if (!quoted && " \t\n\r\f\v".includes(character)) {
      if (current !== "") found.push(current);
      current = "";
    } else current += character;
  }
  if (current !== "") found.push(current);
  return found;
}
