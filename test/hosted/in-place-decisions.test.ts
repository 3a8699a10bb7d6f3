import { expect, it } from "vitest";
import { type PoolOrder, readOrder, writeOrder } from "../../src/domain/hosted/handover/pool-order.ts";
import { orderedPool } from "../../src/domain/hosted/rollout/ordered-pool.ts";
import { reportOf } from "../../src/domain/hosted/rollout/report-of.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { progressOf } from "../../src/domain/node-pool/rollout/updating.ts";
import { decidePool } from "../../src/domain/rollout/decide-pool.ts";
import { Members } from "../../src/domain/rollout/members.ts";
import { annotations } from "../../src/domain/rollout/node-annotations.ts";
import { nodeOf, now } from "../machine-config/recorded-pools.ts";
import { casesOf } from "./cases.ts";
import { inPlaceDifferences } from "./differences.ts";

interface Case {
  readonly id: string;
  readonly input: {
    readonly nodes: readonly ({ readonly name: string } & Record<string, string>)[];
    readonly target: string;
    readonly maxUnavailable?: number;
    readonly noPayload?: boolean;
    readonly noReleaseVersion?: boolean;
  };
  readonly expect: Expected;
}

interface Expected {
  readonly selected?: readonly (string | null)[];
  readonly complete?: boolean;
  readonly needsUpgrade?: Record<string, boolean>;
  readonly progress?: string;
  readonly error?: boolean;
  /** Machines whose release is noted: those of nodes that are done. */
  readonly released?: readonly string[];
}

const cases = casesOf<Case>("in-place");
const labels = { [keys.nodePool]: "np1" };

it.each(cases.map((recorded): [string, Case] => [recorded.id, recorded]))("%s", (id, { input, expect: theirs }) => {
  const ours = inPlaceDifferences[id];
  const wanted = ours ?? theirs;
  const observed = onePass(input);
  const compared = Object.fromEntries(Object.keys(wanted).map((key) => [key, observed[key as keyof Expected]]));
  expect(compared).toEqual(wanted);
  expect(theirs).not.toEqual(ours);
});

/** What a pass over the pool of the order does. Hashes of the recordings stand for rendered configs here. */
function onePass({ nodes, target, maxUnavailable = 1, noPayload, noReleaseVersion }: Case["input"]): Expected {
  const order: PoolOrder = {
    nodePool: { namespace: "clusters", name: "np1", generation: 1 },
    upgradeType: "InPlace",
    maxUnavailable,
    paused: false,
    target: { full: target, withoutVersion: target, version: "4.22.0" },
    payload: "",
  };
  // An order that cannot be read is none.
  if (noPayload || noReleaseVersion) {
    const { version: _, ...hashes } = order.target;
    const partial = writeOrder({ ...order, target: hashes as PoolOrder["target"] }, "clusters-demo");
    expect(readOrder(partial).type).toBe("problem");
    return { selected: [], complete: false, released: [], ...(noReleaseVersion ? { error: true } : {}) };
  }
  const { spec, ...rest } = orderedPool(order);
  const pool = { ...rest, spec: { ...spec, ...(target === "" ? {} : { configuration: { name: target } }) } };
  const members = new Members();
  members.use([pool]);
  const all = nodes.map(({ name, ...update }) => {
    const node = nodeOf({ name, labels, conditions: { Ready: "True" } });
    const noted = Object.entries(update).map(([key, value]) => [annotations[key as keyof typeof annotations], value]);
    return {
      ...node,
      metadata: { ...node.metadata, annotations: Object.fromEntries(noted) as Record<string, string> },
    };
  });
  const decision = decidePool({ pool, nodes: members.of("np1", all), redirects: true, now });
  const rendering = { type: "rendered", config: { metadata: { name: target } } } as never;
  const report = reportOf({ order, pass: { pool, rendering, decision }, now });
  const told = decision.changes.filter(({ annotations: written }) => written[annotations.desiredConfig] === target);
  const progress = report.current === undefined ? progressOf(target, report)?.message : undefined;
  return {
    selected: told.map(({ node }) => node.metadata.name ?? "").toSorted(),
    complete: report.current === target,
    needsUpgrade: Object.fromEntries(nodes.map(({ name }) => [name, !report.updated.includes(name)])),
    ...(progress === undefined ? {} : { progress }),
    released: report.updated.map((name) => `m-${name}`),
  };
}

it("a node with the configuration before is not counted as updated while the pool waits to be told the new one", () => {
  const order: PoolOrder = {
    nodePool: { namespace: "clusters", name: "np1", generation: 1 },
    upgradeType: "InPlace",
    maxUnavailable: 1,
    paused: false,
    target: { full: "new", withoutVersion: "new", version: "4.22.0" },
    payload: "",
  };
  const { spec, ...rest } = orderedPool(order);
  const pool = { ...rest, spec: { ...spec, configuration: { name: "old" } } };
  const node = nodeOf({ name: "a", labels, conditions: { Ready: "True" } });
  const noted = { [annotations.currentConfig]: "old", [annotations.desiredConfig]: "old", [annotations.state]: "Done" };
  const members = new Members();
  members.use([pool]);
  const nodes = members.of("np1", [{ ...node, metadata: { ...node.metadata, annotations: noted } }]);
  const decision = decidePool({ pool, nodes, redirects: true, now });
  const rendered = (name: string): never => ({ type: "rendered", config: { metadata: { name } } }) as never;
  const counted = (name: string): unknown =>
    reportOf({ order, pass: { pool, rendering: rendered(name), decision }, now }).counts;
  expect(counted("old")).toMatchObject({ total: 1, updated: 1 });
  expect(counted("new")).toMatchObject({ total: 1, updated: 0 });
});
