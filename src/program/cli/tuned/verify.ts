import type { Values } from "../option/flag.ts";
import type { verifyFlags } from "./flags.ts";
import type { Difference } from "../../../node/engine/engine.ts";
import { bootIdPath, findBootId } from "../../../node/host/boot-id.ts";
import { nativeEngine } from "../../../node/engine/native-engine.ts";
import { fileText } from "../explain/setting-text.ts";
import { type Cell, reportTable } from "../terminal/text-table.ts";
import { formatProblem } from "../../../language/tuned/problem.ts";
import { type ExecRule, execRule } from "../../../node/on-node/exec-policy.ts";
import { placeBaseScripts } from "../../../node/on-node/place-base-scripts.ts";
import { applyOptions, searchPath } from "./search-path.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { serialised } from "../terminal/serialise.ts";
import { type Colours, printable, type Terminal } from "../terminal/terminal.ts";
import { profileNames, reportProblems, reportWarnings, resolveNamed } from "./named-profiles.ts";

export type VerifyOptions = Values<typeof verifyFlags>;

/** `attune tuned verify`: compares the node with a profile, whether or not Attune applied it. */
export async function verify(words: readonly string[], options: VerifyOptions, terminal: Terminal): Promise<number> {
  const names = profileNames(words);
  const { root, dir, exec, output } = options;
  const host = new OneShotHost(root);
  const places = await searchPath({ root, directories: dir }, host);
  const rule: ExecRule = exec ? execRule("allow") : { policy: "none", by: "without --exec" };
  const named = await resolveNamed({ names, places, host, exec: rule });
  if (named.type === "invalid") return reportProblems(named.problems, terminal);
  const profile = await placeBaseScripts(named.profile, host, { write: false });
  reportWarnings(profile.warnings, terminal);
  if ((await findBootId(host)) === undefined)
    terminal.err(
      `warning: --root ${printable(root)} has no ${bootIdPath}: no kernel runs there, so what was changed since it was applied ` +
        "is not known\n",
    );
  const { differences } = await nativeEngine().verify(profile, host, await applyOptions(host, places));
  const notCompared = profile.warnings.filter((warning) => warning.refused === true).map(formatProblem);
  const outcome: Verified = { profile: profile.profile, differences, ...(notCompared.length > 0 && { notCompared }) };
  terminal.out(
    output === "table" ? `${text(outcome, terminal.colours, terminal.columns)}\n` : await serialised(outcome, output),
  );
  return differences.length > 0 ? 1 : 0;
}

interface Verified {
  readonly profile: string;
  readonly differences: readonly Difference[];
  /** Settings that depend on programs which were not run. */
  readonly notCompared?: readonly string[];
}

function text({ profile, differences, notCompared = [] }: Verified, colours: Colours, columns?: number): string {
  const refused = notCompared.length;
  const left = `${refused} ${refused === 1 ? "setting was" : "settings were"} not compared without --exec`;
  if (differences.length === 0)
    return `${colours.bold(profile)}: ${refused === 0 ? "verified, no differences" : `no differences, but ${left}`}`;
  const headings = ["UNIT", "OPTION", "DEVICE", "EXPECTED", "FOUND", "FROM", "NOTE"];
  const rows = differences.map((difference) => row(difference, colours, columns));
  const count = `${differences.length} ${differences.length === 1 ? "difference" : "differences"}`;
  return `${reportTable(headings, rows, columns)}\n\n${colours.bold(profile)}: ${colours.red(count)}${refused === 0 ? "" : `; ${left}`}`;
}

function row(difference: Difference, { dim, green, red }: Colours, columns?: number): Cell[] {
  const { unit, option, device = "", from, message, expected, found, drifted } = difference;
  const compared = expected !== undefined && found !== undefined;
  const note = compared ? (drifted ? "changed by another process since it was applied" : "") : message;
  return [
    printable(unit),
    printable(option),
    printable(device),
    { text: printable(expected ?? ""), paint: green },
    { text: printable(found ?? ""), paint: red },
    { text: fileText(from, columns), paint: dim },
    printable(note),
  ];
}
