import { isSafeName } from "../../language/tuned/chain/include.ts";
import { baseProfiles } from "../../language/tuned/profiles/base-profiles.ts";
import { type ParsedProfile, parseProfile } from "../../language/tuned/text/parse-profile.ts";
import { systemDirectories } from "../engine/engine.ts";
import type { Host } from "../host/host.ts";

type Layer = ReadonlyMap<string, ParsedProfile>;

/** Limits what a node reports. */
const mostNames = 100;

/** Names of the node's own profiles that are not built in, for the Profile's status. */
export async function hostProfileNames(host: Pick<Host, "list" | "read">): Promise<string[]> {
  const names = [...(await hostProfiles(host, [baseProfiles()])).keys()].filter(isSafeName);
  return names.toSorted().slice(0, mostNames);
}

/**
 * Profiles of the node's own TuneD folders under names that no given layer has: a provider's, or a vendor's. Names that
 * Attune or a Tuned defines mean the same on every node.
 */
export async function hostProfiles(host: Pick<Host, "list" | "read">, layers: readonly Layer[]): Promise<Layer> {
  const found = new Map<string, ParsedProfile>();
  for (const directory of systemDirectories)
    for (const name of await host.list(directory)) {
      if (layers.some((layer) => layer.has(name))) continue;
      const path = `${directory}/${name}/tuned.conf`;
      const file = await host.read(path);
      if (file.type === "text") found.set(name, parseProfile(file.text, path));
    }
  return found;
}
