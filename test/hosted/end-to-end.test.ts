import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { equal, type Json } from "../../src/language/object/json.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { casesOf, type RecordedObject } from "./cases.ts";
import { differences } from "./differences.ts";
import { type EndToEnd, type EndToEndChange, EndToEndWorld } from "./end-to-end-world.ts";
import { type ChildKind, childNames, hashed } from "./profile-column.ts";

interface EndToEndCase {
  readonly id: string;
  readonly objects: readonly RecordedObject[];
  readonly steps: readonly { readonly change?: readonly EndToEndChange[]; readonly expect: Partial<EndToEnd> }[];
}

const cases = casesOf<EndToEndCase>("end-to-end");

/** Each takes about a second of CPU time: all of them run with ATTUNE_LONG. */
const isLong = process.env["ATTUNE_LONG"] !== undefined;
const short = ["e2e-profile-invalid-edit", "e2e-hosted-user-boot-arguments"];
const chosen = cases.filter(({ id }) => isLong || short.includes(id));
if (!isLong) console.log(`not run: ${cases.length - chosen.length} cases from end to end (only with ATTUNE_LONG)`);

const nothing: EndToEnd = { nodePools: {}, configMaps: [], tuneds: [], profiles: {}, runtimeClasses: [], rollouts: {} };

/** From ConfigMaps of users to nodes and machines, and back to conditions, through both sides of Attune and both clusters. */
describe.each(["documented", "shipped"] as const)("end to end (%s)", { timeout: 120_000 }, (protocol) => {
  let world: EndToEndWorld;
  beforeAll(async () => {
    world = await EndToEndWorld.start(protocol);
  });
  afterAll(() => world.close());
  afterEach(() => world.clear());

  it.each(chosen.map((one): [string, EndToEndCase] => [one.id, one]))("%s", async (id, { objects, steps }) => {
    const ours = differences[id]?.[protocol] ?? [];
    let differs = false;
    let expected = nothing;
    await world.begin(objects);
    for (const [index, { change = [], expect: step }] of steps.entries()) {
      for (const one of change) await world.change(one);
      expected = accumulated(expected, step);
      const recorded = inColumn(expected, protocol) as unknown as Json;
      const wanted = applyMergePatch(recorded, (ours[index] ?? {}) as Json);
      differs ||= !equal(wanted, recorded);
      await reaches(wanted);
    }
    // A case that is listed differs.
    expect(differs).toBe(ours.length > 0);
  });

  it("a profile that takes the place of another is one rollout, and so is the way back", async () => {
    const objects = ["p1", "p2"].map((name) => ({
      configMap: {
        name,
        user: true,
        data: {
          tuning: [{ profile: name, isolated: name === "p1" ? "1-3" : "2-3", reserved: name === "p1" ? "0" : "0-1" }],
        },
      },
    }));
    await world.begin([...objects, { nodePool: { name: "np1", spec: { tuningConfig: [{ name: "p1" }] } } }]);
    const status = { applied: "True", degraded: "False" };
    const report = { nodeSide: [{ node: "np1-a", status, bootcmdline: "", deps: "current" }] };
    for (const [name, rollouts] of [
      ["p1", "AB"],
      ["p2", "ABC"],
      ["p1", "ABCB"],
    ] as const) {
      await world.change({ patch: "NodePool/np1", merge: { spec: { tuningConfig: [{ name }] } } });
      await eventually("chosen", async () => (await world.observe()).profiles["np1-a"]?.endsWith(name));
      await world.processed();
      // What nodes have stays until they have reported.
      expect((await world.observe()).rollouts).toEqual({ np1: rollouts.slice(0, -1) });
      await world.change(report);
      await eventually("applied and rolled out", async () => {
        const { nodePools, rollouts: found } = await world.observe();
        return nodePools["np1"]?.includes("Available") && found["np1"] !== rollouts.slice(0, -1);
      });
      await world.processed();
      expect((await world.observe()).rollouts).toEqual({ np1: rollouts });
    }
  });

  async function reaches(wanted: Json): Promise<void> {
    let last: unknown;
    const isReached = async (): Promise<boolean> => {
      last = comparable(await world.observe(), wanted as unknown as EndToEnd);
      return equal(last, wanted);
    };
    await world.processed();
    await eventually("as recorded", isReached).catch(() => expect(last).toEqual(wanted));
  }
});

function accumulated(before: EndToEnd, step: Partial<EndToEnd>): EndToEnd {
  return {
    ...before,
    ...step,
    nodePools: { ...before.nodePools, ...step.nodePools },
    rollouts: { ...before.rollouts, ...step.rollouts },
  };
}

/** ConfigMaps have other names in the documented column. */
function inColumn(state: EndToEnd, protocol: Protocol): EndToEnd {
  const kindsOf = Object.keys(childNames.shipped) as ChildKind[];
  const inNames = new Map(
    ["np1", "np2"].flatMap((pool): [string, string][] => [
      [`p1-${pool}`, `performanceprofile-${pool}`],
      ...kindsOf.map((kind): [string, string] => [
        childNames.shipped[kind](`p1-${pool}`),
        childNames.documented[kind]("", hashed("perf", pool)),
      ]),
    ]),
  );
  const configMaps = state.configMaps.map((name) => (protocol === "shipped" ? name : (inNames.get(name) ?? name)));
  return { ...state, configMaps: configMaps.toSorted() };
}

/** Attune reports about profiles from the beginning. Where nothing was recorded, it must not say that they are applied. */
function comparable(observed: EndToEnd, wanted: EndToEnd): EndToEnd {
  const nodePools = Object.entries(observed.nodePools).map(([name, words]): [string, readonly string[]] => [
    name,
    words.filter((word) => word !== "not available" || wanted.nodePools[name]?.includes(word)),
  ]);
  const configMaps = observed.configMaps.filter(
    (name) => !/^status-|-status$/.test(name) || wanted.configMaps.includes(name),
  );
  return { ...observed, nodePools: Object.fromEntries(nodePools), configMaps };
}
