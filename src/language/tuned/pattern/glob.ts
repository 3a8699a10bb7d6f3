/** Python's `fnmatch`: `*`, `?`, `[a-z]`, `[!a]`; everything else is itself. Never worse than pattern times text. */
export function matchesGlob(pattern: string, text: string): boolean {
  const tokens = tokensOf(pattern);
  let token = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    const one = tokens[token];
    if (one === "*") {
      star = token++;
      starAt = at;
    } else if (one !== undefined && one.has(text.charAt(at))) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (tokens[token] === "*") token++;
  return token === tokens.length;
}

type Token = "*" | { has(character: string): boolean };

const any = { has: () => true };

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    if (character === "*") {
      if (tokens.at(-1) !== "*") tokens.push("*");
    } else if (character === "?") tokens.push(any);
    else {
      const end = character === "[" ? setEnd(pattern, i) : -1;
      if (end < 0) tokens.push({ has: (other) => other === character });
      else {
        tokens.push(setOf(pattern.slice(i + 1, end)));
        i = end;
      }
    }
  }
  return tokens;
}

/** A leading `]` is part of the set; without a closing one, `[` is a plain character. */
function setEnd(pattern: string, open: number): number {
  return pattern.indexOf("]", open + (pattern[open + 1] === "!" ? 3 : 2));
}

function setOf(text: string): Token {
  const negated = text.startsWith("!");
  const body = negated ? text.slice(1) : text;
  const ranges: [string, string][] = [];
  for (let i = 0; i < body.length; i++) {
    const from = body.charAt(i);
    const ranged = body[i + 1] === "-" && i + 2 < body.length;
    ranges.push([from, ranged ? body.charAt(i + 2) : from]);
    if (ranged) i += 2;
  }
  return { has: (other) => ranges.some(([from, to]) => from <= other && other <= to) !== negated };
}

/**
 * Whether a unit's `devices` names this device: blanks and commas separate, `!` excludes, and where nothing is included
 * everything is.
 */
export function matchesDevices(devices: string, device: string): boolean {
  const words = devices.split(/\s|,/).filter((word) => word !== "");
  const excluded = words.filter((word) => word.startsWith("!"));
  const included = words.filter((word) => !word.startsWith("!"));
  if (excluded.some((word) => matchesGlob(word.slice(1), device))) return false;
  return included.length === 0 || included.some((word) => matchesGlob(word, device));
}
