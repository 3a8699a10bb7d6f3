import { type Answer, type Answers, noAnswers, type Probe, probeKey } from "../../language/tuned/probe.ts";
import { parseProfile, type ParsedProfile } from "../../language/tuned/text/parse-profile.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import { baseVariableFiles } from "../../language/tuned/profiles/base-files.ts";
import { baseProfiles } from "../../language/tuned/profiles/base-profiles.ts";
import { preview, type Profiles, type ResolvedProfile } from "../../language/tuned/resolve.ts";
import type { ProfileSpec } from "./api.ts";

/** What a Profile comes to. */
export type Expected =
  | {
      readonly type: "resolved";
      readonly profile: ResolvedProfile;
      /** What only the node could answer; calls that depend on it stand as they are written. */
      readonly unresolved: readonly Probe[];
    }
  | { readonly type: "invalid"; readonly problems: readonly Problem[] };

/** The texts of a Profile as its node would read them: its own above those that every node has. */
export function profilesOf({ config, profile }: ProfileSpec): Profiles {
  const own = new Map<string, ParsedProfile>();
  for (const { name, data } of profile ?? []) own.set(name, parseProfile(data, `${name}/tuned.conf`));
  return { profile: config.tunedProfile, layers: [baseProfiles(), own], files: baseVariableFiles() };
}

/** As far as it can be told without asking the node. Which cloud it is on, the Profile says. */
export function expectedProfile(spec: ProfileSpec, known: Answers = noAnswers): Expected {
  const provider: Probe = { type: "exec", argv: ["cat", "/var/lib/ocp-tuned/provider"] };
  const answers = new Map<string, Answer>(known);
  answers.set(probeKey(provider), { type: "text", text: spec.config.providerName ?? "" });
  const shown = preview(profilesOf(spec), answers);
  return shown.type === "invalid" ? shown : { ...shown, type: "resolved" };
}
