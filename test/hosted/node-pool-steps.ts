import type { Json } from "../../src/language/object/json.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import type { RecordedCase, RecordedChange } from "./cases.ts";
import { inColumn } from "./columns.ts";
import { differences } from "./differences.ts";
import { NodePoolWorld } from "./node-pool-world.ts";

interface NodePoolExpectation {
  readonly conditions?: Record<string, Record<string, object>>;
  readonly configMaps?: Record<string, object>;
  readonly payload?: Record<string, readonly object[]>;
  readonly gone?: readonly string[];
}

export type NodePoolCase = RecordedCase<NodePoolExpectation>;

export const nodePoolFiles = ["tuning-config", "performance-profile", "config-manifests", "copies", "profile-status"];

export interface WantedStep {
  readonly index: number;
  readonly step: NodePoolExpectation;
  readonly changes: readonly RecordedChange[];
  /** After these changes, and all before. */
  readonly world: NodePoolWorld;
  /** What was recorded, in the names of the column, and what Attune does. */
  readonly inNames: Json;
  readonly wanted: Json;
}

/** What a case wants after each of its steps. */
export function* wantedSteps(id: string, recorded: NodePoolCase, protocol: Protocol): Generator<WantedStep> {
  const world = new NodePoolWorld(recorded, protocol);
  const ours = differences[id]?.[protocol] ?? [];
  let expected: Json = { conditions: {}, configMaps: {} };
  for (const [index, { change: changes = [], expect: step = {} }] of recorded.steps.entries()) {
    for (const one of changes) world.change(one);
    world.settle();
    expected = accumulated(expected, step, world);
    const inNames = inColumn(expected, protocol, (pool) => world.refersToTuning(pool)) as Json;
    const wanted = applyMergePatch(inNames, (ours[index] ?? {}) as Json);
    yield { index, step, changes, world, inNames, wanted };
  }
}

function accumulated(before: Json, { gone = [], ...step }: NodePoolExpectation, world: NodePoolWorld): Json {
  const state = structuredClone(before) as {
    conditions: Record<string, Record<string, Json>>;
    configMaps: Record<string, Json>;
  };
  for (const path of gone) {
    const [part, name = "", , type = "", rest] = path.split("/");
    if (part === "configMaps") delete state.configMaps[name];
    else if (type) delete state.conditions[name]?.[rest === undefined ? type : `${type}/${rest}`];
  }
  for (const [name, conditions] of Object.entries(step.conditions ?? {}))
    state.conditions[name] = { ...state.conditions[name], ...(conditions as Record<string, Json>) };
  for (const [name, object] of Object.entries(step.configMaps ?? {})) state.configMaps[name] = object as Json;
  // Recordings show those of the input, and conditions, where they matter.
  for (const [name, conditions] of Object.entries(world.observed().conditions))
    for (const type of ["ValidMachineConfig", "ValidTuningConfig"])
      state.conditions[name] = { [type]: conditions[type] as Json, ...state.conditions[name] };
  return state;
}
