import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../src/language/object/json.ts";
import { findings } from "../../src/domain/performance-profile/findings.ts";
import { renderCases } from "./render-cases.ts";

describe("a profile that the replaced operator", () => {
  it.each(renderCases())(
    "met in $name has an error only if nothing came of it",
    ({ profile, pool, partitioning, expected }) => {
      const surroundings = {
        nodes: [],
        otherProfiles: [],
        pools: [pool],
        partitioning,
        mixedCpusAllowed: false,
        foreignWorkloads: [],
      };
      const errors = findings(deepFreeze(profile), deepFreeze(surroundings)).filter(
        ({ severity }) => severity === "error",
      );
      expect(errors.map(({ name }) => name)).toEqual(expected ? [] : ["HugepagesDefaultMissing"]);
    },
  );
});
