/** The variables of `/etc/default/grub` and the files in `grub.d`, read as the shell that GRUB's tools run reads them. */
export function readGrubDefaults(texts: readonly string[]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line);
    if (match) variables.set(match[1] ?? "", valueOf(match[2] ?? "", variables));
  }
  return variables;
}

/** One word of the shell: quotes, escapes, `$name`, `${name}` and `${name:+word}`; no commands. */
function valueOf(text: string, variables: ReadonlyMap<string, string>, isQuoted = false): string {
  let value = "";
  let quoted = isQuoted;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === '"') quoted = !quoted;
    else if (char === "'" && !quoted) {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return value + text.slice(at + 1);
      value += text.slice(at + 1, end);
      at = end;
    } else if (char === "\\" && at + 1 < text.length) value += text[++at];
    else if (char === "$") {
      const reference = /^\$(?:\{([A-Za-z_]\w*)(?::\+((?:\\.|[^}])*))?\}|([A-Za-z_]\w*))/.exec(text.slice(at));
      if (!reference) {
        value += char;
        continue;
      }
      const [whole, braced, instead, bare] = reference;
      const present = variables.get(braced ?? bare ?? "") ?? "";
      value += instead === undefined ? present : present === "" ? "" : valueOf(instead, variables, quoted);
      at += whole.length - 1;
    } else if (/\s/.test(char) && !quoted) return value;
    else value += char;
  }
  return value;
}
