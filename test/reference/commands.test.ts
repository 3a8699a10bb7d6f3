import { join } from "node:path";
import { expect, it } from "vitest";
import { attuneProgram } from "../../src/program/cli/program.ts";
import { describeCommands, type Row } from "../../src/program/cli/reference/describe-commands.ts";
import { root } from "../architecture/imports.ts";

const introduction = `# Commands

The same as \`attune COMMAND --help\` prints, and \`attune man DIR\` writes as man pages. \`attune completion bash|zsh|fish\` completes commands,
flags and names of objects in a shell.

`;

function table(term: string, rows: readonly Row[]): string {
  if (rows.length === 0) return "";
  const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "\\<");
  const lines = rows.map((row) => `| \`${row.term.replaceAll("|", "\\|")}\` | ${cell(row.about)} |`);
  return `| ${term} | meaning |\n|---|---|\n${lines.join("\n")}\n\n`;
}

it("docs/reference/commands.md has every command as its help has it (written anew by vitest -u)", async () => {
  const sections = describeCommands(attuneProgram()).map(({ name, about, usage, operands, flags, examples }) => {
    const lines = examples.map((example) => `# ${example.about}\n${example.line}`).join("\n\n");
    return `## ${name}\n\n\`${name} ${usage}\`: ${about}.\n\n${table("argument", operands)}${table("flag", flags)}\`\`\`sh\n${lines}\n\`\`\`\n`;
  });
  await expect(introduction + sections.join("\n")).toMatchFileSnapshot(join(root, "docs/reference/commands.md"));
});
