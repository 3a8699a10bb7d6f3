/** What a reader of a page does, in its order. */
export type Step =
  | { readonly type: "file"; readonly name: string; readonly text: string; readonly line: number }
  | {
      readonly type: "command";
      readonly terminal: string;
      readonly command: string;
      /** The lines that the page shows below the command. */
      readonly shows: readonly string[];
      readonly exits: number;
      readonly line: number;
    };

/**
 * Reads the steps of a page. A block `yaml NAME` is a file that the reader saves; a block `console` is what a terminal shows:
 * commands after `$ `, each with its output. Words after `console` name another terminal, which the reader leaves open.
 * A command that shall fail says so in a comment: `# exits 2`.
 */
export function stepsOf(page: string): Step[] {
  const lines = page.split("\n");
  const steps: Step[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = /^```(\w+) ?(.*)$/.exec(lines[at] ?? "");
    if (!opening) continue;
    const end = lines.indexOf("```", at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: a block without an end`);
    const [, language, info = ""] = opening;
    const body = lines.slice(at + 1, end);
    if (language === "console") steps.push(...commandsOf(body, info, at + 2));
    else if (info) steps.push({ type: "file", name: info, text: `${body.join("\n")}\n`, line: at + 1 });
    at = end;
  }
  return steps;
}

function commandsOf(body: readonly string[], terminal: string, first: number): Step[] {
  const starts = body.flatMap((text, index) => (text.startsWith("$ ") ? [index] : []));
  if (starts[0] !== 0) throw new Error(`line ${first}: a block console begins with a command, "$ …"`);
  return starts.map((start, index) => {
    const lines = body.slice(start, starts[index + 1]);
    let words = 1;
    while (lines[words - 1]?.endsWith("\\")) words++;
    const command = lines.slice(0, words).join("\n").slice(2);
    const exits = Number(/# exits (\d+)/.exec(command)?.[1] ?? 0);
    return { type: "command", terminal, command, shows: lines.slice(words), exits, line: first + start };
  });
}
