import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MachineGroup } from "../../../../domain/node-pool/cluster-api.ts";
import { decideMachines, type MachineState } from "./decide-machines.ts";

type Strategy = NonNullable<NonNullable<MachineGroup["spec"]>["strategy"]>;

function group(replicas: number, strategy?: Strategy, kind = "MachineDeployment"): MachineGroup {
  const spec = { replicas, ...(strategy ? { strategy } : {}) };
  return { apiVersion: "v1", kind, metadata: { name: "np", generation: 1 }, spec };
}

function machine(index: number, change: Partial<MachineState> = {}): MachineState {
  return { name: `np-${index}`, isCurrent: true, isAvailable: true, isLeaving: false, ...change };
}

const rolling = (maxSurge: number | string, maxUnavailable: number | string): Strategy => ({
  type: "RollingUpdate",
  rollingUpdate: { maxSurge, maxUnavailable },
});
const old = { isCurrent: false };

describe("machines of a group", () => {
  it.each<[string, MachineGroup, MachineState[], { created: string[]; deleted: string[] }]>([
    ["none are there", group(2), [], { created: ["np-1", "np-2"], deleted: [] }],
    ["all are there", group(2), [machine(1), machine(2)], { created: [], deleted: [] }],
    ["all are old: one more is made first", group(1), [machine(1, old)], { created: ["np-2"], deleted: [] }],
    ["the new one is available", group(1), [machine(1, old), machine(2)], { created: [], deleted: ["np-1"] }],
    [
      "the new one is not available yet",
      group(1),
      [machine(1, old), machine(2, { isAvailable: false })],
      { created: [], deleted: [] },
    ],
    [
      "an old one that is not available costs nothing",
      group(2),
      [machine(1, old), machine(2, { ...old, isAvailable: false })],
      { created: ["np-3"], deleted: ["np-2"] },
    ],
    [
      "none more may be made",
      group(2, rolling(0, 1)),
      [machine(1, old), machine(2, old)],
      { created: [], deleted: ["np-1"] },
    ],
    [
      "neither is allowed: one may be away",
      group(2, rolling(0, 0)),
      [machine(1, old), machine(2)],
      { created: [], deleted: ["np-1"] },
    ],
    [
      "users delete old ones themselves",
      group(1, { type: "OnDelete" }),
      [machine(1, old)],
      { created: [], deleted: [] },
    ],
    ["they are updated in place", group(1, undefined, "MachineSet"), [machine(1, old)], { created: [], deleted: [] }],
    ["fewer are wanted", group(1), [machine(1), machine(2)], { created: [], deleted: ["np-2"] }],
  ])("when %s", (_, of, machines, wanted) => {
    expect(decideMachines(of, machines)).toMatchObject(wanted);
  });

  it("are all replaced in the end, and at no moment there are more, or fewer available, than the strategy allows", () => {
    const budget = fc.oneof(
      fc.nat(3),
      fc.nat(100).map((percent) => `${percent}%`),
    );
    const run = fc.property(fc.integer({ min: 1, max: 6 }), budget, budget, fc.infiniteStream(fc.nat()), (...all) => {
      const [replicas, surge, unavailable, choices] = all;
      const wanted = group(replicas, rolling(surge, unavailable));
      let machines = Array.from({ length: replicas }, (_, index) => machine(index + 1, old));
      const most = replicas + share(surge, replicas, Math.ceil);
      const away = share(unavailable, replicas, Math.floor);
      const least = replicas - (most === replicas && away === 0 ? 1 : Math.min(away, replicas));
      for (let step = 0; step < 200; step++) {
        const { created, deleted, status } = decideMachines(wanted, machines);
        if (
          status.updatedReplicas === replicas &&
          status.availableReplicas === replicas &&
          machines.length === replicas
        )
          return;
        const leaving = new Set(deleted);
        machines = machines.map((one) => (leaving.has(one.name) ? { ...one, isLeaving: true } : one));
        machines.push(...created.map((name) => ({ ...machine(0), name, isAvailable: false })));
        expect(machines.length).toBeLessThanOrEqual(most);
        expect(machines.filter((one) => one.isAvailable && !one.isLeaving).length).toBeGreaterThanOrEqual(least);
        machines = happens(machines, choices.next().value as number);
      }
      throw new Error(`not finished: ${JSON.stringify(machines)}`);
    });
    fc.assert(run, { numRuns: 50 });
  });
});

/** One of those that leave is gone, or one that starts is available. */
function happens(machines: readonly MachineState[], choice: number): MachineState[] {
  const open = machines.filter(({ isAvailable, isLeaving }) => !isAvailable || isLeaving);
  const chosen = open[choice % Math.max(1, open.length)];
  if (chosen?.isLeaving) return machines.filter((one) => one !== chosen);
  return machines.map((one) => (one === chosen ? { ...one, isAvailable: true } : one));
}

function share(value: number | string, of: number, round: (value: number) => number): number {
  return typeof value === "number" ? value : round((Number(value.slice(0, -1)) * of) / 100);
}
