import type { Difference } from "../../../node/engine/engine.ts";
import { nativeEngine } from "../../../node/engine/native-engine.ts";
import { type Cell, reportTable } from "../terminal/text-table.ts";
import { applyOptions } from "./apply-options.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { outputOption } from "../option/output-option.ts";
import { serialised } from "../terminal/serialise.ts";
import { type Colours, printable, type Terminal } from "../terminal/terminal.ts";
import { profileNames } from "./profile-names.ts";
import { reportProblems, reportWarnings } from "./report-problems.ts";
import { resolveNamed } from "./resolve-named.ts";
import { searchPath } from "./search-path.ts";

export interface VerifyOptions {
  readonly root: string;
  readonly dir?: readonly string[];
  readonly output: string;
}

/** `attune tuned verify`: whoever applied the profile, this is what the node has. */
export async function verify(words: readonly string[], options: VerifyOptions, terminal: Terminal): Promise<number> {
  const names = profileNames(words);
  const format = outputOption(options.output, ["table", "json", "yaml"] as const);
  const host = new OneShotHost(options.root);
  const places = await searchPath({ root: options.root, directories: options.dir }, host);
  const named = await resolveNamed({ names, places, host, programs: true });
  if (named.type === "invalid") return reportProblems(named.problems, terminal);
  const { profile } = named;
  reportWarnings(profile.warnings, terminal);
  const { differences } = await nativeEngine().verify(profile, host, await applyOptions(host, places));
  if (format !== "table") terminal.out(await serialised({ profile: profile.profile, differences }, format));
  else terminal.out(`${text(profile.profile, differences, terminal.colours)}\n`);
  return differences.length > 0 ? 1 : 0;
}

function text(profile: string, differences: readonly Difference[], colours: Colours): string {
  if (differences.length === 0) return `${colours.bold(profile)}: verified, no differences`;
  const headings = ["UNIT", "OPTION", "DEVICE", "EXPECTED", "FOUND", "FROM", "NOTE"];
  const rows = differences.map((difference) => row(difference, colours));
  const count = `${differences.length} ${differences.length === 1 ? "difference" : "differences"}`;
  return `${reportTable(headings, rows)}\n\n${colours.bold(profile)}: ${colours.red(count)}`;
}

function row(difference: Difference, { dim, green, red }: Colours): Cell[] {
  const { unit, option, device = "", from, message, expected, found, drifted } = difference;
  const compared = expected !== undefined && found !== undefined;
  const note = compared ? (drifted ? "changed by somebody else since it was applied" : "") : message;
  return [
    printable(unit),
    printable(option),
    printable(device),
    { text: printable(expected ?? ""), paint: green },
    { text: printable(found ?? ""), paint: red },
    { text: printable(from), paint: dim },
    printable(note),
  ];
}
