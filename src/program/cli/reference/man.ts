import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { version } from "../../version.ts";
import { writeOut } from "../terminal/terminal.ts";
import { type CommandDescription, describeCommands, type Row } from "./describe-commands.ts";

/** `attune man DIR`: `attune.1`, and `attune-tuned-apply.1` for each command. */
export async function writeManPages(program: Command, dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const pages = manPages(program);
  for (const [name, text] of pages) await writeFile(join(dir, name), text);
  writeOut(`${pages.size} pages in ${dir}\n`);
}

export function manPages(program: Command): Map<string, string> {
  const commands = describeCommands(program);
  const overview = [
    title("attune"),
    ".SH NAME",
    `attune \\- ${roff(program.description())}`,
    ".SH SYNOPSIS",
    ".B attune",
    "command [options]",
    ".SH COMMANDS",
    ...terms(commands.map(({ name, about }) => ({ term: pageOf(name).replace(/\.1$/, "(1)"), about }))),
  ];
  return new Map([
    ["attune.1", text(overview)],
    ...commands.map((command): [string, string] => [pageOf(command.name), commandPage(command)]),
  ]);
}

function commandPage({ name, about, usage, operands, flags, examples }: CommandDescription): string {
  return text([
    title(name.replaceAll(" ", "-")),
    ".SH NAME",
    `${roff(name.replaceAll(" ", "-"))} \\- ${roff(about)}`,
    ".SH SYNOPSIS",
    `.B ${roff(name)}`,
    roff(usage),
    ...(operands.length > 0 ? [".SH ARGUMENTS", ...terms(operands)] : []),
    ".SH OPTIONS",
    ...terms([...flags, { term: "-h, --help", about: "print help" }]),
    ...(examples.length > 0 ? [".SH EXAMPLES"] : []),
    ...examples.flatMap(({ about: purpose, line }) => [
      ".PP",
      roff(`${purpose}:`),
      ".PP",
      ".RS 4",
      ".EX",
      roff(line),
      ".EE",
      ".RE",
    ]),
    ".SH SEE ALSO",
    ".BR attune (1)",
  ]);
}

function pageOf(name: string): string {
  return `${name.replaceAll(" ", "-")}.1`;
}

function title(name: string): string {
  return `.TH ${roff(name).toUpperCase()} 1 "" "attune ${version}" "Attune"`;
}

function terms(rows: readonly Row[]): string[] {
  return rows.flatMap(({ term, about }) => [".TP", `.B ${roff(term)}`, roff(about)]);
}

/** A leading dot or quote would be a request, and a hyphen may be printed as a dash that a shell does not know. */
function roff(words: string): string {
  const escaped = words.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

function text(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
