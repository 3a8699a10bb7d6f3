import type { Host } from "../host/host.ts";
import type { ParsedProfile } from "../../language/tuned/text/parse-profile.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import {
  compareVersion,
  lackedBy,
  oldestVersion,
  type UsedFeatures,
  usedFeatures,
} from "../../language/tuned/version-differences.ts";
import { isLeftToTuned } from "./plugins/left-to-tuned.ts";
import { tunedFacts, type TunedFacts } from "./tuned-daemon/tuned-facts.ts";

export const engineNames = ["auto", "native", "tuned"] as const;
export type EngineName = (typeof engineNames)[number];

export interface EngineChoice {
  readonly engine: "native" | "tuned";
  readonly reason: string;
}

export interface EngineQuestion {
  readonly option: EngineName;
  readonly host: Pick<Host, "read" | "list" | "run">;
  readonly profile: ResolvedProfile;
  /** The profiles that it was merged from. */
  readonly texts: readonly ParsedProfile[];
  /** Process id of the TuneD that the caller supervises already. */
  readonly own?: number | undefined;
}

const notInstalled: TunedFacts = { type: "missing", message: "TuneD is not installed" };

/** The engine that the option names; for `auto`, the engine that suits the profile and the node. */
export async function chooseEngine({ option, host, profile, texts, own }: EngineQuestion): Promise<EngineChoice> {
  if (option !== "auto") return { engine: option, reason: "asked for" };
  const facts = (await hasTuned(host)) ? await tunedFacts(host, own) : notInstalled;
  return chooseByFeatures(usedFeatures(profile, texts), facts);
}

/** Every installation has this folder. Listing it is faster than running TuneD, and most nodes do not have it. */
async function hasTuned(host: Pick<Host, "list">): Promise<boolean> {
  return (await host.list("/usr/lib/tuned")).length > 0;
}

/** TuneD only where it can be started and has everything that the profile uses. */
export function chooseByFeatures(used: UsedFeatures, facts: TunedFacts): EngineChoice {
  const against = objection(used, facts);
  if (against === undefined && facts.type === "installed")
    return { engine: "tuned", reason: `TuneD ${facts.version} is installed and has everything the profile uses` };
  const lost = [...used.plugins].filter(isLeftToTuned).toSorted();
  const without = lost.length > 0 ? `; only TuneD could apply ${lost.map((type) => `[${type}]`).join(", ")}` : "";
  return { engine: "native", reason: `${against}${without}` };
}

function objection(used: UsedFeatures, facts: TunedFacts): string | undefined {
  if (facts.type === "missing") return facts.message;
  const { version, unusable } = facts;
  if (unusable !== undefined) return unusable;
  if (compareVersion(version, oldestVersion) < 0) return `TuneD ${version} is older than ${oldestVersion.join(".")}`;
  const lacking = lackedBy(version, used);
  return lacking.length > 0 ? `TuneD ${version} lacks ${lacking.join(", ")}` : undefined;
}
