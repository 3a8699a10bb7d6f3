import { apiVersion, type Match, type Tuned, tuningNamespace } from "../node-tuning/api.ts";
import type { DerivationInput } from "./derivation.ts";
import { tunedProfileName } from "./names.ts";
import { mainProfile } from "./tuned-profile/main-profile.ts";
import { processorParts } from "./tuned-profile/processor-parts.ts";

/** A Tuned of a user that refines this one has a smaller number. */
const priority = 20;

/** The TuneD profiles of the nodes, which also have their boot arguments. */
export function tunedOf({ facts, hasPools = true }: DerivationInput): Tuned {
  const profile = tunedProfileName(facts.name);
  const parts = processorParts(facts);
  return {
    apiVersion,
    kind: "Tuned",
    metadata: { name: profile, namespace: tuningNamespace },
    spec: {
      profile: [
        { name: profile, data: mainProfile(facts) },
        ...Object.entries(parts).map(([part, data]) => ({
          name: tunedProfileName(facts.name, part),
          data,
        })),
      ],
      recommend: [
        {
          profile,
          priority,
          ...(hasPools
            ? { machineConfigLabels: { ...facts.machineConfigLabels } }
            : { match: allOf(Object.entries(facts.nodeSelector)) }),
        },
      ],
    },
  };
}

/** Rules of one list are alternatives, a rule inside another must match too. */
function allOf([first, ...rest]: readonly (readonly [string, string])[]): Match[] {
  if (!first) return [];
  const [label, value] = first;
  return [{ label, value, ...(rest.length > 0 ? { match: allOf(rest) } : {}) }];
}
