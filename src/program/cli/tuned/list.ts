import type { Values } from "../option/flag.ts";
import type { listFlags } from "./flags.ts";
import type { ParsedProfile } from "../../../language/tuned/text/parse-profile.ts";
import { formatProblem } from "../../../language/tuned/problem.ts";
import { baseDirectory } from "../../../language/tuned/profiles/base-profiles.ts";
import { type Cell, textTable } from "../terminal/text-table.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { serialised } from "../terminal/serialise.ts";
import { type Colours, printable, type Terminal } from "../terminal/terminal.ts";
import { ProfileLibrary } from "./profile-library.ts";
import { searchPath } from "./search-path.ts";

export type ListOptions = Values<typeof listFlags>;

/** A profile, and the profiles of the same name that it hides. */
interface Listed {
  readonly name: string;
  readonly profile: ParsedProfile;
  readonly shadowed: readonly ParsedProfile[];
}

/** `attune tuned list`. Returns the exit code. */
export async function list({ root, dir, output }: ListOptions, { out, colours, columns }: Terminal): Promise<number> {
  const host = new OneShotHost(root);
  const library = await ProfileLibrary.open(await searchPath({ root, directories: dir }, host));
  const listed = byName(await library.all());
  if (output === "name") out(listed.map(({ name }) => `${name}\n`).join(""));
  else if (output === "table") out(`${table(listed, colours, columns)}\n`);
  else if (output === "wide") out(`${wideTable(listed, colours, columns)}\n`);
  else out(await serialised(listed.map(documentOf), output));
  return 0;
}

function byName(layers: readonly ReadonlyMap<string, ParsedProfile>[]): Listed[] {
  const names = [...new Set(layers.flatMap((layer) => [...layer.keys()]))].toSorted();
  return names.flatMap((name) => {
    const [profile, ...shadowed] = layers.flatMap((layer) => layer.get(name) ?? []).toReversed();
    return profile ? [{ name, profile, shadowed }] : [];
  });
}

function table(listed: readonly Listed[], colours: Colours, columns?: number): string {
  const rows = listed.map(({ name, profile }) => [printable(name), placeOf(profile), summaryCell(profile, colours)]);
  return textTable(["NAME", "FROM", "SUMMARY"], rows, { columns });
}

function wideTable(listed: readonly Listed[], { dim, ...colours }: Colours, columns?: number): string {
  const rows = listed.flatMap(({ name, profile, shadowed }): Cell[][] => [
    [printable(name), placeOf(profile), "", summaryCell(profile, { dim, ...colours })],
    ...shadowed.map((hidden) =>
      [printable(name), placeOf(hidden), placeOf(profile), summaryOf(hidden)].map((text) => ({ text, paint: dim })),
    ),
  ]);
  return textTable(["NAME", "FROM", "SHADOWED BY", "SUMMARY"], rows, { columns });
}

function placeOf({ file }: ParsedProfile): string {
  const directory = file.split("/").slice(0, -2).join("/") || "/";
  return directory === baseDirectory ? "built in" : printable(directory);
}

function summaryCell(profile: ParsedProfile, { red }: Colours): Cell {
  const [problem] = profile.problems;
  return problem ? { text: printable(`error: ${formatProblem(problem)}`), paint: red } : printable(summaryOf(profile));
}

function summaryOf({ sections }: ParsedProfile): string {
  const main = sections.find(({ name }) => name === "main");
  return main?.options.find(({ key }) => key === "summary")?.value ?? "";
}

function documentOf({ name, profile, shadowed }: Listed): Record<string, unknown> {
  const problems = profile.problems.map(formatProblem);
  return {
    name,
    summary: summaryOf(profile),
    from: profile.file,
    shadowed: shadowed.map(({ file }) => file),
    ...(problems.length > 0 && { problems }),
  };
}
