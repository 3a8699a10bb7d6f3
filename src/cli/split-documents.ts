/** One of several documents of a text. */
export interface TextDocument {
  readonly text: string;
  /** Where it begins, counted from one. */
  readonly line: number;
}

/**
 * The documents of a text that has several: between lines of `---` in YAML, one after the other in JSON. What has nothing
 * in it but blanks and comments is none.
 */
export function splitDocuments(text: string): TextDocument[] {
  const documents = /^\s*[{[]/.test(text) ? splitJson(text) : splitYaml(text);
  return documents.filter(({ text: document }) =>
    document.split("\n").some((line) => line.trim() !== "" && !line.trimStart().startsWith("#")),
  );
}

function splitYaml(text: string): TextDocument[] {
  const documents: TextDocument[] = [];
  let lines: string[] = [];
  let start = 1;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // Within a text of several lines, a line that stands at the very left has ended it.
    if (/^---(\s|$)/.test(line)) {
      documents.push({ text: lines.join("\n"), line: start });
      lines = [line.slice(3)];
      start = index + 1;
    } else lines.push(line);
  }
  return [...documents, { text: lines.join("\n"), line: start }];
}

/** Cut where all brackets are closed. What is no JSON is left to those who read it, in one piece. */
function splitJson(text: string): TextDocument[] {
  const documents: TextDocument[] = [];
  let depth = 0;
  let start = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (quoted) {
      if (character === "\\") i++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) {
      documents.push(documentAt(text, start, i + 1));
      start = i + 1;
    }
  }
  return [...documents, documentAt(text, start, text.length)];
}

function documentAt(text: string, start: number, end: number): TextDocument {
  const from = start + (/\S/.exec(text.slice(start, end))?.index ?? 0);
  return { text: text.slice(from, end), line: text.slice(0, from).split("\n").length };
}
