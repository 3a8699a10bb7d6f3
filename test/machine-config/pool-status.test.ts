import { describe, expect, it } from "vitest";
import type { Member } from "../../src/domain/rollout/candidates.ts";
import { nextProgress } from "../../src/domain/rollout/node-progress.ts";
import { judgeNode } from "../../src/domain/rollout/node-state.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { agentAnnotations, findingsText } from "../../src/domain/rollout/node-annotations.ts";
import { poolStatus } from "../../src/domain/rollout/pool-status.ts";
import { agreesWithRecorded, casesOf } from "./parity.ts";
import { nodeOf, now, poolOf, shortConditions, type ShortNode, type ShortPool } from "./recorded-pools.ts";

interface Expected {
  unavailableMachineCount: number;
  conditions: { type: string }[];
}

interface Case {
  id: string;
  input: { pool: ShortPool; nodes: ShortNode[] };
  expect: Expected;
}

const cases = casesOf<Case>("pool-status");

/** The recorded status with the texts of Attune: one source, a reason in CamelCase, and the message of what is wrong. */
function withTexts(id: string, nodes: string | undefined, all = nodes): [string, Expected] {
  const { expect } = cases.find((recorded) => recorded.id === id)!;
  const texts: Record<string, object> = {
    ...(nodes ? { NodeDegraded: { reason: "NodesFailed", message: nodes } } : {}),
    Degraded: { ...(nodes ? { reason: "NodesFailed" } : {}), message: all },
  };
  const conditions = expect.conditions.map((condition) => ({ ...condition, ...texts[condition.type] }));
  return [id, { ...expect, conditions }];
}

/** The recorded status, where every node runs as it was installed. */
function withoutUnavailable(id: string): [string, Expected] {
  const { expect } = cases.find((recorded) => recorded.id === id)!;
  return [id, { ...expect, unavailableMachineCount: 0 }];
}

const ours = Object.fromEntries([
  withTexts("status-degraded", `Node a is reporting: "disk full"`),
  withTexts("status-degraded-mcn-not-ready", `Node a is reporting: "r-a", Node b is reporting: "r-b"`),
  withTexts("status-degraded-two", `Node a is reporting: "r-a", Node b is reporting: "r-b"`),
  withTexts("status-degraded-same-config", `Node a is reporting: "content mismatch"`),
  withTexts("status-render-degraded", undefined, "Failed to render"),
  withTexts(
    "status-render-and-node-degraded",
    `Node a is reporting: "r-a"`,
    `Node a is reporting: "r-a"; Failed to render`,
  ),
  withTexts("status-by-mcn", `Node a is reporting: "r"`),
  withoutUnavailable("status-no-annotations"),
]);

function membersOf({ pool, nodes }: Case["input"]): Member[] {
  return nodes.map((short) => {
    const state = judgeNode(nodeOf(short));
    return { state, conflict: [], progress: nextProgress(state, pool.configuration ?? "", now) };
  });
}

describe("the status of a pool (machine-config W-17)", () => {
  agreesWithRecorded(cases, ours, ({ input }) => {
    const pool = poolOf(input.pool);
    const members = membersOf(input);
    const { configuration, conditions = [], ...counts } = poolStatus({ pool, members, waiting: [], now });
    return {
      ...counts,
      configuration: configuration?.name,
      source: configuration?.source?.map(({ name }) => name),
      conditions: shortConditions(pool, conditions),
    };
  });
});

describe("a pool for which nothing was ever selected", () => {
  const status = (ready: "True" | "False", renderProblems: string[] = []) => {
    const input = { pool: { name: "worker" }, nodes: [{ name: "a" }, { name: "b", conditions: { Ready: ready } }] };
    return poolStatus({ pool: poolOf(input.pool), members: membersOf(input), renderProblems, waiting: [], now });
  };
  const updated = (...of: Parameters<typeof status>) => findCondition(status(...of).conditions, "Updated");

  it("is updated once its nodes are ready: they are as they should be", () => {
    expect(updated("False")?.status).toBe("False");
    expect(updated("True")).toMatchObject({
      status: "True",
      message: "No MachineConfig is selected: nodes stay as they are",
    });
    expect(status("True")).toMatchObject({ updatedMachineCount: 2, readyMachineCount: 2, unavailableMachineCount: 0 });
  });

  it("is not where its first MachineConfig cannot be rendered", () => {
    expect(updated("True", ["no"])?.status).toBe("False");
  });
});

describe("what nodes cannot have of their config", () => {
  const findings = (...nodes: ShortNode[]) => {
    const members = membersOf({ pool: { name: "worker" }, nodes });
    const pool = poolOf({ name: "worker", configuration: "v1" });
    return findCondition(poolStatus({ pool, members, waiting: [], now }).conditions, "NodeFindings");
  };
  const done = { current: "v1", desired: "v1", state: "Done" };
  const saying = (text: string) => ({ ...done, annotations: { [agentAnnotations.findings]: text } });

  it("is a condition of the pool, with the nodes of each, and with drift (machine-config W-12, machine-config W-27)", () => {
    const same = findingsText(["no realtime kernel"])!;
    const six = Array.from({ length: 6 }, (_, index) => ({ name: `n${index}`, ...saying(same) }));
    expect(findings(...six, { name: "d", ...done, reason: "drifted: storage.files /etc/a: is missing" })).toMatchObject(
      {
        status: "True",
        reason: "NodesDiffer",
        message:
          '"no realtime kernel" (n0, n1, n2, n3, n4, and 1 more); "drifted: storage.files /etc/a: is missing" (d)',
      },
    );
  });

  it("is none where nodes say nothing, or what is no list", () => {
    expect(findings({ name: "a", ...done })).toBeUndefined();
    for (const text of ["{", "{}", '[1,{"a":2}]', `["${"x".repeat(10_000)}"]`])
      expect(findings({ name: "a", ...saying(text) })).toBeUndefined();
  });

  it("is quoted, so that no node speaks for another, and has no control characters", () => {
    const lies = JSON.stringify(['lost" (b); "lost', "a\u001b[2J\n\u202eb\u2028\ud800", "x".repeat(3000)]);
    const message = findings({ name: "a", ...saying(lies) })?.message ?? "";
    expect(message).toBe(
      `"lost\\" (b); \\"lost" (a); "a\\u001b[2J\\u000a\\u202eb\\u2028\\ud800" (a); "${"x".repeat(300)}" (a)`,
    );
    const bells = JSON.stringify(Array.from({ length: 5 }, (_, index) => `${index}${"\u202e".repeat(700)}`));
    expect(findings({ name: "a", ...saying(bells) })?.message?.length).toBeLessThan(10_000);
  });

  it("is cut where there is too much of it", () => {
    const text = findingsText(Array.from({ length: 1000 }, (_, index) => `${index}${"x".repeat(1000)}`))!;
    expect(text.length).toBeLessThan(3000);
    expect(JSON.parse(text).at(-1)).toBe("and 994 more");
    expect(findings({ name: "a", ...saying(text) })?.message).toContain("; and 2 more findings");
  });
});

it("a reason of a node that failed has no control characters in the status of its pool", () => {
  const failed = { name: "a", current: "v0", desired: "v1", state: "Degraded", reason: "a\u001b[2Jb" };
  const members = membersOf({ pool: { name: "worker" }, nodes: [failed] });
  const pool = poolOf({ name: "worker", configuration: "v1" });
  const { conditions } = poolStatus({ pool, members, waiting: [], now });
  expect(findCondition(conditions, "NodeDegraded")?.message).toContain('"a\\u001b[2Jb"');
});
