import { parseProfile, type ParsedProfile } from "../text/parse-profile.ts";
import { clusterProfiles } from "./cluster.ts";
import { isolationProfiles } from "./isolation.ts";
import { performanceProfiles } from "./performance.ts";
import { powerProfiles } from "./power.ts";
import { workloadProfiles } from "./workload.ts";

const texts = {
  ...performanceProfiles,
  ...powerProfiles,
  ...clusterProfiles,
  ...isolationProfiles,
  ...workloadProfiles,
};

/** The directory that base profiles and their scripts belong to. */
export const baseDirectory = "/usr/lib/attune/profiles";

/** Parsed on first use: short commands need one of them at most. */
let parsed: ReadonlyMap<string, ParsedProfile> | undefined;

/** Texts of the base profiles, by name. */
export function baseTexts(): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts));
}

/** The profiles that every node has: the lowest layer. */
export function baseProfiles(): ReadonlyMap<string, ParsedProfile> {
  parsed ??= new Map(
    Object.entries(texts).map(([name, text]) => [name, parseProfile(text, `${baseDirectory}/${name}/tuned.conf`)]),
  );
  return parsed;
}
