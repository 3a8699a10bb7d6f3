import { type Answers, noAnswers, type Probe, probeKey } from "../../language/tuned/probe.ts";
import { parseProfile, type ParsedProfile } from "../../language/tuned/text/parse-profile.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import { baseVariableFiles } from "../../language/tuned/profiles/base-files.ts";
import { baseProfiles } from "../../language/tuned/profiles/base-profiles.ts";
import { preview, type Profiles, type ResolvedProfile } from "../../language/tuned/resolve.ts";
import type { ProfileSpec } from "./api.ts";
import { fileOf, hostLayer } from "./profile-texts.ts";

/** What a Profile resolves to. */
export type Expected =
  | {
      readonly type: "resolved";
      readonly profile: ResolvedProfile;
      /** Probes without an answer; functions that depend on them stay unexpanded. */
      readonly unresolved: readonly Probe[];
    }
  | { readonly type: "invalid"; readonly problems: readonly Problem[] };

/** The texts of a Profile as its node reads them: its own override those that every node has. */
export function profilesOf({ config, profile }: ProfileSpec): Profiles {
  const own = new Map<string, ParsedProfile>();
  for (const { name, data } of profile ?? []) own.set(name, parseProfile(data, fileOf(name)));
  return { profile: config.tunedProfile, layers: [baseProfiles(), own], files: baseVariableFiles() };
}

/** Answers that are the same on every node: the Profile names its cloud provider. */
export function certainAnswers({ config }: ProfileSpec): Answers {
  const provider: Probe = { type: "exec", argv: ["cat", "/var/lib/ocp-tuned/provider"] };
  return new Map([[probeKey(provider), { type: "text", text: config.providerName ?? "" }]]);
}

/** Resolved without asking the node. */
export function expectedProfile(
  spec: ProfileSpec,
  known: Answers = noAnswers,
  onHost: readonly string[] = [],
): Expected {
  const answers: Answers = new Map([...known, ...certainAnswers(spec)]);
  const profiles = profilesOf(spec);
  const shown = preview({ ...profiles, layers: [hostLayer(onHost), ...profiles.layers] }, answers);
  return shown.type === "invalid" ? shown : { ...shown, type: "resolved" };
}
