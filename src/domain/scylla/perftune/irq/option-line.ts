/** The assignment of an option in a file that systemd and shells read: `KEY="value"`. */
export type OptionLine =
  /** `quote`: with which the value is written again. */
  | { readonly type: "value"; readonly value: string; readonly quote: '"' | "'" }
  | { readonly type: "unclear"; readonly problem: string };

/** An option that no line assigns is empty. */
export function optionLine(text: string, key: string): OptionLine {
  const values = text.split("\n").flatMap((line) => {
    const value = valueIn(line, key);
    return value === undefined ? [] : [value];
  });
  if (values.length > 1) return unclear(`${values.length} lines assign ${key}: leave one`);
  const [value = ""] = values;
  const quote = value.startsWith("'") ? "'" : '"';
  if (value.endsWith("\\")) return unclear(`the value of ${key} continues on the next line: put it on one`);
  // perftune.py leaves the closing quote of a value that has no opening one.
  const bare = value.replace(/"$/, "");
  if (!value.startsWith(quote) && !/["']/.test(bare)) return { type: "value", value: bare, quote };
  if (value.length < 2 || value.indexOf(quote, 1) !== value.length - 1)
    return unclear(`the value of ${key} is not between one pair of quotes: ${value}`);
  return { type: "value", value: value.slice(1, -1), quote };
}

/** The text without lines that assign the option, and with this line at its end. */
export function textWithLine(text: string, key: string, line: string): string {
  const others = text.split("\n").filter((other) => valueIn(other, key) === undefined);
  if (others.at(-1) === "") others.pop();
  return `${[...others, line].join("\n")}\n`;
}

function valueIn(line: string, key: string): string | undefined {
  const trimmed = line.trim();
  return trimmed.startsWith(`${key}=`) ? trimmed.slice(key.length + 1) : undefined;
}

function unclear(problem: string): OptionLine {
  return { type: "unclear", problem };
}
