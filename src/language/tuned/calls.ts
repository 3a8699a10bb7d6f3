/** The end of the `${…}` that starts here; undefined if it is not closed. */
export function endOfCall(text: string, start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return i + 1;
  }
  return undefined;
}

/** `:` separates outside of inner calls, unless a backslash stands before it. */
export function argumentsOf(text: string): string[] {
  const args = [""];
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === "{") depth++;
    else if (character === "}") depth--;
    if (character === ":" && depth === 0 && text[i - 1] !== "\\") args.push("");
    else args[args.length - 1] += character;
  }
  return args;
}

/** The arguments of which a function returns one. A check without a fallback may also return an empty text. */
export function choicesOf<T>(name: string, args: readonly T[]): T[] | undefined {
  if (name === "virt_check" && args.length === 2) return [...args];
  if (name === "regex_search_ternary" && args.length === 4) return args.slice(2);
  if ((name === "cpuinfo_check" || name === "lscpu_check") && args.length >= 2)
    return args.filter((_, index) => index % 2 === 1 || (index === args.length - 1 && args.length % 2 === 1));
  return undefined;
}
