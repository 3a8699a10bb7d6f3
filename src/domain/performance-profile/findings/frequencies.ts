import { child } from "../../../language/schema/path.ts";
import { advice, type Check } from "./check.ts";

/** No processor that runs Kubernetes is slower than 100 MHz or faster than 10 GHz. */
const slowest = 100_000;
const fastest = 10_000_000;

export const frequencyUnlikely: Check = {
  name: "FrequencyUnlikely",
  severity: "warning",
  faults: ({ spec }) =>
    Object.entries(spec.hardwareTuning ?? {}).flatMap(([name, kiloHertz]) =>
      typeof kiloHertz !== "number" || kiloHertz <= 0 || (kiloHertz >= slowest && kiloHertz <= fastest)
        ? []
        : [advice(child("spec.hardwareTuning", name), `is ${kiloHertz / 1000} MHz: write the frequency in kHz`)],
    ),
};
