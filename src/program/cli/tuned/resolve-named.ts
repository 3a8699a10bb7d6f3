import type { Host } from "../../../node/host/host.ts";
import { answerProbes } from "../../../node/on-node/answer-probes.ts";
import { resolveOnNode } from "../../../node/on-node/resolve-on-node.ts";
import type { ChainLink } from "../../../language/tuned/chain/load-chain.ts";
import type { Probe } from "../../../language/tuned/probe.ts";
import type { Problem } from "../../../language/tuned/problem.ts";
import { baseVariableFiles } from "../../../language/tuned/profiles/base-files.ts";
import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import { ProfileLibrary } from "./profile-library.ts";
import type { Place } from "./search-path.ts";

export interface ResolveNamed {
  readonly names: readonly string[];
  readonly places: readonly Place[];
  readonly host: Host;
  /** False: no program is run. */
  readonly programs: boolean;
}

export type Named =
  | {
      type: "resolved";
      profile: ResolvedProfile;
      unresolved: readonly Probe[];
      /** What it was merged from. */
      links: readonly ChainLink[];
    }
  | { type: "invalid"; problems: readonly Problem[] };

/** What profiles of these names come to on a node. Reads the files of their chain and no others. */
export async function resolveNamed({ names, places, host, programs }: ResolveNamed): Promise<Named> {
  const library = await ProfileLibrary.open(places);
  const { links, answers } = await library.chain(names, (probes) =>
    answerProbes(programs ? probes : probes.filter(({ type }) => type !== "exec"), host),
  );
  const profiles = { profile: names.join(" "), layers: library.layers, files: baseVariableFiles() };
  const resolution = await resolveOnNode({ profiles, host, answers, programs });
  return resolution.type === "invalid" ? resolution : { ...resolution, links };
}
