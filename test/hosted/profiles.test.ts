import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../src/language/object/json.ts";
import { equal } from "../../src/language/object/json.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { casesOf, type RecordedObject } from "./cases.ts";
import { differences } from "./differences.ts";
import { type Observation, observe } from "./profile-observation.ts";
import { type ProfileChange, ProfileWorld } from "./profile-world.ts";
import { type TwoClusters, twoClusters } from "./two-clusters.ts";

interface ProfileCase {
  readonly id: string;
  readonly nodes: readonly string[];
  /** The operator knows no release. */
  readonly operatorEnvironment?: object;
  readonly hostedInfrastructure?: { readonly cpuPartitioning?: string };
  readonly objects: readonly RecordedObject[];
  readonly steps: readonly {
    readonly change?: readonly ProfileChange[];
    readonly expect: Partial<Observation> & { gone?: string[] };
  }[];
}

const cases = ["profiles", "profile-life-cycle", "two-pools"].flatMap((file) => casesOf<ProfileCase>(file));

/** Each takes a second: all of them run with ATTUNE_LONG. */
const isLong = process.env["ATTUNE_LONG"] !== undefined;
const short = ["op-ppl-becomes-invalid", "op-pools-same-profile-one-deleted"];
const chosen = cases.filter(({ id }) => isLong || short.includes(id));
if (!isLong)
  console.log(`not run: ${cases.length - chosen.length} cases of profiles in ConfigMaps (only with ATTUNE_LONG)`);

describe.each(["documented", "shipped"] as const)("profiles in ConfigMaps (%s)", (protocol) => {
  let clusters: TwoClusters;
  let world: ProfileWorld;
  beforeAll(async () => {
    clusters = await twoClusters();
    world = new ProfileWorld(clusters, protocol);
    await world.prepare();
    world.operator.start();
  });
  afterAll(async () => {
    await world.operator.stop();
    await clusters.close();
  });

  it.each(chosen.map((one): [string, ProfileCase] => [one.id, one]))("%s", async (id, recorded) => {
    const { cpuPartitioning } = recorded.hostedInfrastructure ?? {};
    if (cpuPartitioning !== undefined) await world.setPartitioning(cpuPartitioning);
    if (recorded.operatorEnvironment) await world.restart("");
    for (const node of recorded.nodes) await world.createNode(node);
    for (const { configMap } of recorded.objects) if (configMap) await world.createConfigMap(configMap);
    const ours = differences[id]?.[protocol] ?? [];
    let differs = false;
    let expected: Json = { inputs: {}, children: {}, boot: {}, runtimeClasses: {}, tuneds: {}, profiles: {} };
    for (const [index, { change = [], expect: step }] of recorded.steps.entries()) {
      for (const one of change) await world.change(one);
      expected = accumulated(expected, step);
      const inNames = inColumn(expected, protocol);
      const wanted = applyMergePatch(inNames, (ours[index] ?? {}) as Json);
      await reaches(wanted);
      differs ||= !equal(wanted, inNames);
    }
    // A case that is listed differs.
    expect(differs).toBe(ours.length > 0);
    if (recorded.operatorEnvironment) await world.restart();
  });
  afterEach(() => world.clear());

  async function reaches(wanted: Json): Promise<void> {
    let last: unknown;
    const isReached = async (): Promise<boolean> => {
      last = comparable(await observe(world), wanted);
      return equal(last, wanted);
    };
    await world.processed();
    await eventually("as recorded", isReached).catch(() => expect(last).toEqual(wanted));
  }
});

function accumulated(before: Json, { gone = [], ...step }: { gone?: string[] } & Record<string, object>): Json {
  const state = structuredClone(before) as Record<string, Record<string, Json>>;
  for (const path of gone) {
    const [part = "", ...name] = path.split("/");
    delete state[part]?.[name.join("/")];
  }
  for (const [part, objects] of Object.entries(step)) Object.assign(state[part] ?? {}, objects);
  return state;
}

type Children = Record<string, { selector?: object; state?: unknown }>;

/** Under the documented column a KubeletConfig selects no pools. */
function inColumn(state: Json, protocol: Protocol): Json {
  if (protocol === "shipped") return state;
  const copy = structuredClone(state) as unknown as { children: Children };
  for (const child of Object.values(copy.children)) delete child.selector;
  return copy as unknown as Json;
}

/**
 * Attune reports from the beginning, as the documents ask. Where nothing was recorded, any status will do, except one that
 * says that the profile is applied.
 */
function comparable(observed: Observation, wanted: Json): unknown {
  const { children, inputs } = wanted as unknown as Observation;
  const found: Children = { ...observed.children };
  for (const [name, state] of Object.entries(inputs)) {
    const key = `${name}/status`;
    if (key in children || state === "deleting") continue;
    if (found[key] && found[key].state !== "Available") delete found[key];
    else if (!found[key]) found[key] = { state: "never reported" };
  }
  return { ...observed, children: found };
}
