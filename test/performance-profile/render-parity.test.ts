import { describe, expect, it } from "vitest";
import { clone, deepFreeze } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { weakOwnerLabel } from "../../src/domain/performance-profile/api.ts";
import { derive } from "../../src/domain/performance-profile/derive.ts";
import { readFacts } from "../../src/domain/performance-profile/read-facts.ts";
import {
  bootstrapMachineConfig,
  bootstrapRoles,
} from "../../src/domain/workload-partitioning/bootstrap-machine-config.ts";
import { reduce } from "./reduce.ts";
import { type RenderCase, renderCases } from "./render-cases.ts";

const cases = renderCases();

describe("derived objects", () => {
  it.each(cases.filter(({ expected }) => expected))("of $name agrees with the operator it replaces", (given) => {
    expect(reduce(objectsOf(given))).toEqual(given.expected);
  });

  it.each(cases.filter(({ expected }) => !expected))(
    "of $name is nothing: pages have no default size",
    ({ profile }) => {
      expect(readFacts(profile)).toMatchObject({ type: "unusable", findings: [{ name: "HugepagesDefaultMissing" }] });
    },
  );

  it("cover all recorded profiles", () => {
    expect([cases.length, cases.filter(({ expected }) => expected).length]).toEqual([40, 37]);
  });
});

function objectsOf({ profile, pool, partitioning }: RenderCase): KubeObject[] {
  const read = readFacts(deepFreeze(profile));
  if (read.type !== "facts") throw new Error(JSON.stringify(read.findings));
  const derived = derive(deepFreeze({ facts: read.facts, pool, partitioning, mixedCpusAllowed: false }));
  if (derived.type !== "derived") throw new Error(JSON.stringify(derived.findings));
  const { machineConfig, kubeletConfig, tuned, runtimeClass } = derived;
  const roles = partitioning === "AllNodes" ? bootstrapRoles(undefined, [pool.metadata.name ?? ""]) : [];
  return [
    ...[machineConfig, kubeletConfig, tuned, runtimeClass].map((object) => owned(object, read.facts.name)),
    ...roles.map((role) => bootstrapMachineConfig(role)),
  ];
}

function owned(object: KubeObject, profile: string): KubeObject {
  const copy = clone(object);
  copy.metadata.labels = { ...copy.metadata.labels, [weakOwnerLabel]: profile };
  return copy;
}
