/** One of several documents of a text. */
export interface TextDocument {
  readonly text: string;
  /** Its first line, counted from one. */
  readonly line: number;
}

/**
 * The documents of a text: YAML documents are separated by lines of `---`, JSON documents follow each other. Documents
 * with only blanks and comments are left out.
 */
export function splitDocuments(text: string): TextDocument[] {
  return splitYaml(text)
    .flatMap((document) => (/^\s*[{[]/.test(document.text) ? splitJson(document) : [document]))
    .filter(({ text: document }) => /^[^\S\n]*[^\s#]/m.test(document));
}

function splitYaml(text: string): TextDocument[] {
  const documents: TextDocument[] = [];
  let lines: string[] = [];
  let start = 1;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // A block scalar cannot contain this line, since its lines are indented.
    if (/^---(\s|$)/.test(line)) {
      documents.push({ text: lines.join("\n"), line: start });
      lines = [line.slice(3)];
      start = index + 1;
    } else lines.push(line);
  }
  return [...documents, { text: lines.join("\n"), line: start }];
}

/** Cuts where all brackets are closed. Text that is not JSON stays in one piece, for its reader to refuse. */
function splitJson({ text, line }: TextDocument): TextDocument[] {
  const documents: TextDocument[] = [];
  let depth = 0;
  let start = 0;
  let startLine = line;
  let currentLine = line;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === "\n") currentLine++;
    if (quote !== "") {
      if (character === "\\" && quote === '"') i++;
      else if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "{" || character === "[") {
      if (depth++ === 0 && text.slice(start, i).trim() === "") [start, startLine] = [i, currentLine];
    } else if ((character === "}" || character === "]") && --depth === 0) {
      documents.push({ text: text.slice(start, i + 1), line: startLine });
      [start, startLine] = [i + 1, currentLine];
    }
  }
  return [...documents, { text: text.slice(start), line: startLine }];
}
