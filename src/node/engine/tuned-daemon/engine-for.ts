import type { Host } from "../../host/host.ts";
import type { ParsedProfile } from "../../../language/tuned/text/parse-profile.ts";
import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import { chooseEngine, type EngineChoice } from "./choose-engine.ts";
import { tunedFacts, type TunedFacts } from "./tuned-facts.ts";
import { usedFeatures } from "./used-features.ts";

export const engineNames = ["auto", "native", "tuned"] as const;
export type EngineName = (typeof engineNames)[number];

export interface EngineQuestion {
  readonly option: EngineName;
  readonly host: Pick<Host, "read" | "list" | "run">;
  readonly profile: ResolvedProfile;
  /** What the profile was merged from. */
  readonly texts: readonly ParsedProfile[];
  /** A TuneD that whoever asks runs already. */
  readonly own?: number;
}

const asked = "asked for";
const notInstalled: TunedFacts = { type: "missing", message: "TuneD is not installed" };

/** The engine that is asked for, or the one that suits the profile and the node, with the reason. */
export async function engineFor({ option, host, profile, texts, own }: EngineQuestion): Promise<EngineChoice> {
  if (option !== "auto") return { engine: option, reason: asked };
  const facts = (await hasTuned(host)) ? await tunedFacts(host, own) : notInstalled;
  return chooseEngine(usedFeatures(profile, texts), facts);
}

/** Every installation has this folder. Looking is faster than trying to run TuneD, and most nodes do not have it. */
async function hasTuned(host: Pick<Host, "list">): Promise<boolean> {
  return (await host.list("/usr/lib/tuned")).length > 0;
}
