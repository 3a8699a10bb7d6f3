import { apiVersion, type Tuned, tuningNamespace } from "../node-tuning/api.ts";
import type { DerivationInput } from "./derivation.ts";
import { tunedProfileName } from "./names.ts";
import { mainProfile } from "./tuned-profile/main-profile.ts";
import { processorParts } from "./tuned-profile/processor-parts.ts";

/** A Tuned of a user that refines this one has a smaller number. */
const priority = 20;

/** The TuneD profiles of the nodes, which also have their boot arguments. */
export function tunedOf({ facts }: DerivationInput): Tuned {
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
      recommend: [{ profile, priority, machineConfigLabels: { ...facts.machineConfigLabels } }],
    },
  };
}
