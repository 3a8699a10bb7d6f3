import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatRanges } from "../../src/language/cpu/cpu-set.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { findingsOnWrite } from "../../src/domain/node-tuning/tuned-findings.ts";
import { at, clone, deepFreeze } from "../../src/language/object/json.ts";
import type { DerivationInput } from "../../src/domain/performance-profile/derivation.ts";
import { type Derivation, derive } from "../../src/domain/performance-profile/derive.ts";
import { formatFinding } from "../../src/domain/finding.ts";
import { findings } from "../../src/domain/performance-profile/findings.ts";
import { annotations } from "../../src/domain/performance-profile/api.ts";
import { readFacts } from "../../src/domain/performance-profile/read-facts.ts";
import { schemas } from "../../src/domain/performance-profile/schemas.ts";
import { processors, resolvedOn } from "../../src/domain/performance-profile/testing/resolved-tuned.ts";
import { tunedOf } from "../../src/domain/performance-profile/tuned.ts";
import { isolatedCpus } from "../../src/domain/performance-profile/tuned-profile/main-profile.ts";
import { type ArbitraryProfile, arbitraryProfile } from "./arbitrary-profile.ts";
import { cpuFaults } from "./cpu-faults.ts";
import { schemaFaults } from "./schema-faults.ts";

describe("profiles at random", () => {
  const seen = new Set<string>();

  // In parts, each with a time limit of its own. All of them on request.
  it.each(process.env["ATTUNE_LONG"] ? [1, 2, 3, 4, 5] : [1])(
    "derive, thousands of them, into objects that are valid and agree on CPUs (part %i)",
    () => {
      fc.assert(
        fc.property(arbitraryProfile(), (given) => {
          for (const field of fieldsOf(given)) seen.add(field);
          const input = inputOf(given);
          const derived = derivedFrom(input);
          const faults = [...schemaFaults(derived), ...cpuFaults(derived, input)];
          if (faults.length > 0) throw new Error(faults.join("; "));
        }),
        { numRuns: 2_000 },
      );
    },
  );

  it("had every field", () => {
    expect(allFields.filter((field) => !seen.has(field))).toEqual([]);
  });

  it("have no errors, give no warnings, and derive into the same bytes every time", () => {
    fc.assert(
      fc.property(arbitraryProfile(), (given) => {
        expect(findings(given.profile).filter(({ severity }) => severity === "error")).toEqual([]);
        const input = inputOf(given);
        const derived = derivedFrom(input);
        expect(findingsOnWrite(derived.tuned, { tuneds: [], onHosts: [] }, tuningNamespace)).toEqual([]);
        expect(JSON.stringify(derivedFrom(clone(input)))).toBe(JSON.stringify(derived));
      }),
      { numRuns: 300 },
    );
  });

  it("give settings and boot arguments on a node of every processor", () => {
    const node = fc.record({
      lscpu: fc.constantFrom(...Object.values(processors)),
      kernel: fc.constantFrom("5.14.0-570.el9", "5.14.0-570.rt14.el9"),
      cpus: fc.constant(128),
    });
    fc.assert(
      fc.property(arbitraryProfile(), node, (profile, asked) => {
        const input = inputOf(profile);
        const { bootArguments, warnings } = resolvedOn(tunedOf(input), asked);
        const given = input.facts.additionalKernelArgs.flatMap((word) => word.split(" "));
        expect(warnings).toEqual([]);
        expect(bootArguments).toContain(`nohz_full=${formatRanges(isolatedCpus(input.facts))}`);
        expect(bootArguments.slice(bootArguments.length - given.length)).toEqual(given);
      }),
      { numRuns: 30 },
    );
  });
});

const keysAt = (value: unknown, ...path: string[]): string[] => Object.keys(at(value, ...path) ?? {});

const allFields = [
  ...keysAt(schemas.v2, "properties", "spec", "properties"),
  ...keysAt(schemas.v2, "properties", "spec", "properties", "cpu", "properties"),
  ...Object.values(annotations),
];

function fieldsOf({ profile }: ArbitraryProfile): readonly string[] {
  return [...keysAt(profile, "spec"), ...keysAt(profile, "spec", "cpu"), ...keysAt(profile, "metadata", "annotations")];
}

function inputOf({ profile, cluster }: ArbitraryProfile): DerivationInput {
  const read = readFacts(deepFreeze(profile));
  if (read.type === "unusable") throw new Error(read.findings.map(formatFinding).join("; "));
  return deepFreeze({ facts: read.facts, ...cluster });
}

function derivedFrom(input: DerivationInput): Extract<Derivation, { type: "derived" }> {
  const derived = derive(input);
  if (derived.type === "refused") throw new Error(derived.findings.map(formatFinding).join("; "));
  return derived;
}
