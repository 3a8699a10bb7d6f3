import { invalid } from "../../../language/schema/field-error.ts";
import { weakOwnerLabel } from "../api.ts";
import { tunedParts, tunedProfileName } from "../names.ts";
import { advice, type Check } from "./check.ts";
import type { Surrounded } from "./judged.ts";

/** Kubernetes' limit for the value of a label. */
const longestLabel = 63;

export const nameTooLongForLabel: Check = {
  name: "NameTooLongForLabel",
  severity: "warning",
  faults: ({ name }) =>
    name.length > longestLabel
      ? [
          advice(
            "metadata.name",
            `is longer than ${longestLabel} characters: rendered manifests cannot carry it in the label ${weakOwnerLabel}`,
          ),
        ]
      : [],
};

/** The TuneD profile of a PerformanceProfile `rt-a` has the name of the real-time part of profile `a`. */
export const nameClashes: Check<Surrounded> = {
  name: "NameClashes",
  severity: "error",
  faults: ({ name, surroundings }) =>
    surroundings.otherProfiles
      .filter((other) => isPartOf(name, other.name) || isPartOf(other.name, name))
      .map((other) =>
        invalid(
          "metadata.name",
          name,
          `TuneD profiles derived from it and from the profile ${other.name} would have the same name`,
        ),
      ),
};

function isPartOf(one: string, other: string): boolean {
  // A quick way out: there may be a million pairs.
  return one.endsWith(other) && tunedParts.some((part) => tunedProfileName(one) === tunedProfileName(other, part));
}
