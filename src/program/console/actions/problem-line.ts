import type { PlanFile, PlanProblem } from "../../../../console/protocol/answers.ts";
import { splitDocuments } from "../../../language/object/split-documents.ts";

/** Nobody corrects more at once, and a file with a thousand mistakes has the same one everywhere. */
const mostProblems = 50;

/**
 * Problems with the lines that they are about. They begin with their place, `FILE` or `FILE, document N`, and go on with the line,
 * where the text cannot be read, or name the field somewhere, as API servers do.
 */
export async function withLines(problems: readonly string[], files: readonly PlanFile[]): Promise<PlanProblem[]> {
  const documents = files.map(({ text }) => splitDocuments(text));
  const placed: PlanProblem[] = [];
  for (const text of problems.slice(0, mostProblems)) {
    const at = placeOf(text, files);
    const document = at && documents[at.file]?.[at.document];
    const line = document && (await lineOf(at.rest, document));
    placed.push(line === undefined ? { text } : { text, file: at?.file, line });
  }
  const left = problems.length - placed.length;
  return left > 0 ? [...placed, { text: `and ${left} more problems` }] : placed;
}

function placeOf(problem: string, files: readonly PlanFile[]) {
  for (const [file, { name }] of files.entries()) {
    if (!problem.startsWith(name)) continue;
    const [, number = "1", rest] = /^(?:, document (\d+))?: (.*)/s.exec(problem.slice(name.length)) ?? [];
    if (rest !== undefined) return { file, document: Number(number) - 1, rest };
  }
  return undefined;
}

async function lineOf(problem: string, { text, line }: { text: string; line: number }): Promise<number> {
  // Counted from the start of the file.
  const [, unreadable] = /^line (\d+)/.exec(problem) ?? [];
  if (unreadable !== undefined) return Number(unreadable);
  const [field] = /(?<![\w"])(?:metadata|spec|data)(?:\.[\w-]+|\[[^\]\s]*\])+/.exec(problem) ?? [];
  if (field === undefined) return line;
  const { lineOfField } = await import("./yaml-line.ts");
  return line - 1 + lineOfField(text, field);
}
