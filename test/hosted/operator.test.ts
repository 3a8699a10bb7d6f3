import { describe, expect, it } from "vitest";
import type { Json } from "../../src/language/object/json.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { casesOf, type RecordedCase } from "./cases.ts";
import { differences } from "./differences.ts";
import { OperatorWorld } from "./operator-world.ts";

interface OperatorExpectation {
  readonly tuneds?: Record<string, object>;
  readonly profiles?: Record<string, object>;
  readonly configMaps?: Record<string, object>;
  readonly gone?: readonly string[];
}

const files = ["mirror-tuneds", "hosted-edits", "node-pools", "boot-arguments"];

describe.each(files)("%s", (file) => {
  const cases = casesOf<RecordedCase<OperatorExpectation>>(file);
  for (const protocol of ["documented", "shipped"] as const)
    it.each(cases.map((recorded): [string, RecordedCase<OperatorExpectation>] => [recorded.id, recorded]))(
      `%s (${protocol})`,
      (id, recorded) => {
        const world = new OperatorWorld(recorded, protocol);
        const ours = differences[id]?.[protocol] ?? [];
        let expected: Json = { tuneds: {}, profiles: {}, configMaps: {} };
        let differs = false;
        for (const [index, { change = [], expect: recordedStep = {} }] of recorded.steps.entries()) {
          for (const one of change) world.change(one);
          world.settle();
          expected = accumulated(expected, recordedStep);
          const inNames = inColumn(expected, protocol) as Json;
          const wanted = applyMergePatch(inNames, (ours[index] ?? {}) as Json);
          if (recorded.timingDependent) expect(world.observed()).toMatchObject(wanted as object);
          else expect(world.observed()).toEqual(wanted);
          differs ||= JSON.stringify(wanted) !== JSON.stringify(inNames);
        }
        // A case that is listed differs.
        expect(differs).toBe(ours.length > 0);
      },
    );
});

function accumulated(before: Json, { gone = [], ...step }: OperatorExpectation): Json {
  const state = structuredClone(before) as Record<string, Record<string, Json>>;
  for (const path of gone) {
    const [part = "", name = ""] = path.split("/");
    delete state[part]?.[name];
  }
  for (const [part, objects] of Object.entries(step))
    if (part in state)
      for (const [name, object] of Object.entries(objects as Record<string, Json>)) state[part]![name] = object;
  return state;
}

/** What the README of the recordings maps from the shipped column to the documented one. */
function inColumn(state: Json, protocol: Protocol): unknown {
  if (protocol === "shipped") return state;
  const { tuneds, profiles, configMaps } = structuredClone(state) as Record<
    string,
    Record<string, Record<string, unknown>>
  >;
  for (const profile of Object.values(profiles ?? {})) delete profile["deps"];
  for (const { annotations } of Object.values(configMaps ?? {}) as { annotations?: Record<string, string> }[])
    if (annotations?.["hypershift.openshift.io/nodePool"])
      annotations["hypershift.openshift.io/nodePool"] = `clusters/${annotations["hypershift.openshift.io/nodePool"]}`;
  return { tuneds, profiles, configMaps };
}
