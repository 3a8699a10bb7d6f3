import { baseScripts } from "../../language/tuned/profiles/base-files.ts";
import { baseDirectory } from "../../language/tuned/profiles/base-profiles.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import type { Setting, Unit } from "../../language/tuned/unit.ts";
import { scriptDirectories } from "../engine/engine.ts";
import type { Host } from "../host/host.ts";

/**
 * The profile with the scripts of built-in profiles where the node has them. `write` puts missing ones in the first of
 * `scriptDirectories` that can be written and run from; a script that cannot be placed keeps its built-in path, so that running it fails
 * and every other setting is applied.
 */
export async function placeBaseScripts(
  profile: ResolvedProfile,
  host: ScriptHost,
  { write }: { write: boolean } = { write: true },
): Promise<ResolvedProfile> {
  const scripts = baseScripts();
  const placed = new Map<string, string>();
  const warnings = [...profile.warnings];
  for (const path of new Set(profile.units.flatMap(pathsOf))) {
    const text = scripts.get(path);
    if (text === undefined) continue;
    const place = await placeOf({ name: path.slice(baseDirectory.length + 1), text }, host, write);
    if (place.type === "placed") placed.set(path, place.path);
    else if (write)
      warnings.push({ level: "error", message: `cannot write the script ${path}: ${place.reasons.join("; ")}` });
  }
  return { ...profile, warnings, units: profile.units.map((unit) => withPaths(unit, placed)) };
}

type ScriptHost = Pick<Host, "read" | "replace" | "run">;
type Place = { type: "placed"; path: string } | { type: "nowhere"; reasons: string[] };

async function placeOf(
  { name, text }: { name: string; text: string },
  host: ScriptHost,
  write: boolean,
): Promise<Place> {
  const paths = scriptDirectories.map((directory) => `${directory}/${name}`);
  for (const path of paths) {
    const found = await host.read(path);
    if (found.type === "text" && found.text === text && (await mayRun(path, host))) return { type: "placed", path };
  }
  const reasons: string[] = [];
  for (const path of write ? paths : []) {
    const outcome = await host.replace(path, text, 0o755);
    if (outcome.type === "done" && (await mayRun(path, host))) return { type: "placed", path };
    reasons.push(outcome.type === "failed" ? outcome.message : `${path} cannot be run: is it mounted noexec?`);
  }
  return { type: "nowhere", reasons };
}

/** The kernel grants no right to run a file that is mounted `noexec`, not even to root. Where nothing can be asked, it may. */
async function mayRun(path: string, host: ScriptHost): Promise<boolean> {
  const result = await host.run(["test", "-x", path]);
  return result.type === "failed" || result.code !== 1;
}

function pathsOf({ options }: Unit): string[] {
  return [...options.values()].flatMap(({ list = [] }) => list);
}

function withPaths(unit: Unit, placed: ReadonlyMap<string, string>): Unit {
  if (!pathsOf(unit).some((path) => placed.has(path))) return unit;
  const moved = (setting: Setting): Setting => {
    const list = setting.list?.map((path) => placed.get(path) ?? path);
    return list ? { ...setting, list, value: list.join("\n") } : setting;
  };
  return { ...unit, options: new Map([...unit.options].map(([name, setting]) => [name, moved(setting)])) };
}
