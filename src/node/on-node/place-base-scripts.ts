import type { Host } from "../host/host.ts";
import { baseScripts } from "../../language/tuned/profiles/base-files.ts";
import { baseDirectory } from "../../language/tuned/profiles/base-profiles.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";

/** Writes the scripts of built-in profiles to the node, where the engine runs them. */
export async function placeBaseScripts({ units }: ResolvedProfile, host: Host): Promise<void> {
  const named = units.flatMap(({ options }) => [...options.values()].flatMap(({ list = [] }) => list));
  const ours = named.filter((path) => path.startsWith(`${baseDirectory}/`));
  if (ours.length === 0) return;
  const scripts = baseScripts();
  for (const path of ours) {
    const text = scripts.get(path);
    const found = await host.read(path);
    if (text === undefined || (found.type === "text" && found.text === text)) continue;
    const outcome = await host.replace(path, text, 0o755);
    if (outcome.type === "failed") throw new Error(`write a script of the profile: ${outcome.message}`);
  }
}
