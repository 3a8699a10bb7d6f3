import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { equal, type Json } from "../../src/language/object/json.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { growingPause } from "../servers/until.ts";
import { casesOf, type RecordedCase } from "./cases.ts";
import { differences } from "./differences.ts";
import { observe } from "./observe-operator.ts";
import { OperatorWorld } from "./operator-world.ts";
import { type TwoClusters, twoClusters } from "./two-clusters.ts";

interface OperatorExpectation {
  readonly tuneds?: Record<string, object>;
  readonly profiles?: Record<string, object>;
  readonly configMaps?: Record<string, object>;
  readonly clusterOperator?: Record<string, string>;
  readonly gone?: readonly string[];
}

const files = ["mirror-tuneds", "hosted-edits", "node-pools", "boot-arguments", "isolation"];

/** Observations in a row that must agree before a step counts as settled. */
const observations = 3;
const timeoutMs = 100_000;

/** No agent runs in any of the cases, unless they say so. */
const atFirst = { Available: "False ProfileProgressing", Degraded: "False AsExpected" };

let clusters: TwoClusters;
let world: OperatorWorld;
beforeAll(async () => {
  clusters = await twoClusters();
  world = await OperatorWorld.between(clusters);
});
afterAll(async () => {
  await world?.close();
  await clusters?.close();
});

describe.each(files)("%s", { timeout: 300_000 }, (file) => {
  const cases = casesOf<RecordedCase<OperatorExpectation>>(file);
  for (const protocol of ["documented", "shipped"] as const)
    it.each(cases.map((recorded): [string, RecordedCase<OperatorExpectation>] => [recorded.id, recorded]))(
      `%s (${protocol})`,
      async (id, recorded) => {
        await world.begin(recorded, protocol);
        const ours = differences[id]?.[protocol] ?? [];
        let expected: Json = { tuneds: {}, profiles: {}, configMaps: {}, clusterOperator: atFirst };
        let differs = false;
        for (const [index, { change = [], expect: recordedStep = {} }] of recorded.steps.entries()) {
          for (const one of change) await world.change(one);
          expected = accumulated(expected, recordedStep);
          const inNames = inColumn(expected, protocol) as Json;
          const wanted = applyMergePatch(inNames, (ours[index] ?? {}) as Json) as object;
          const observed = await settled(wanted, protocol, recorded.timingDependent ?? false);
          if (recorded.timingDependent) expect(observed, `step ${index}`).toMatchObject(wanted);
          else expect(observed, `step ${index}`).toEqual(wanted);
          differs ||= JSON.stringify(wanted) !== JSON.stringify(inNames);
        }
        // A case that is listed differs.
        expect(differs).toBe(ours.length > 0);
      },
    );
});

/** What is observed once it has been as wanted for some time, or at the end of the time for it. */
async function settled(wanted: object, protocol: Protocol, isPart: boolean): Promise<unknown> {
  const holds = (observed: unknown): boolean =>
    isPart ? matches(observed as Json, wanted as Json) : equal(observed, wanted);
  const deadline = Date.now() + timeoutMs;
  for (let [agreed, pause] = [0, growingPause()]; ; await pause()) {
    const observed = await observe(clusters, protocol);
    agreed = holds(observed) ? agreed + 1 : 0;
    if (agreed === observations || Date.now() > deadline) return observed;
  }
}

function matches(observed: Json, part: Json): boolean {
  return equal(applyMergePatch(structuredClone(observed), part), observed);
}

function accumulated(before: Json, { gone = [], ...step }: OperatorExpectation): Json {
  const state = structuredClone(before) as Record<string, Record<string, Json>>;
  if (step.clusterOperator) state["clusterOperator"] = {};
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
  const { tuneds, profiles, configMaps, clusterOperator } = structuredClone(state) as Record<
    string,
    Record<string, Record<string, unknown>>
  >;
  for (const profile of Object.values(profiles ?? {})) delete profile["deps"];
  for (const { annotations } of Object.values(configMaps ?? {}) as { annotations?: Record<string, string> }[])
    if (annotations?.["hypershift.openshift.io/nodePool"])
      annotations["hypershift.openshift.io/nodePool"] = `clusters/${annotations["hypershift.openshift.io/nodePool"]}`;
  return { tuneds, profiles, configMaps, clusterOperator };
}
