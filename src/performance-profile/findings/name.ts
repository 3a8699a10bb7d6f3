import { weakOwnerLabel } from "../api.ts";
import { advice, type Check } from "./check.ts";

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
