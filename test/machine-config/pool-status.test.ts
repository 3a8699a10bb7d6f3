import { describe } from "vitest";
import type { Member } from "../../src/domain/rollout/candidates.ts";
import { nextProgress } from "../../src/domain/rollout/node-progress.ts";
import { judgeNode } from "../../src/domain/rollout/node-state.ts";
import { poolStatus } from "../../src/domain/rollout/pool-status.ts";
import { agreesWithRecorded, casesOf } from "./parity.ts";
import { nodeOf, now, poolOf, shortConditions, type ShortNode, type ShortPool } from "./recorded-pools.ts";

interface Expected {
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
]);

describe("the status of a pool (machine-config W-17)", () => {
  agreesWithRecorded(cases, ours, ({ input }) => {
    const pool = poolOf(input.pool);
    const members = input.nodes.map((short): Member => {
      const state = judgeNode(nodeOf(short));
      return { state, conflict: [], progress: nextProgress(state, input.pool.configuration ?? "", now) };
    });
    const { configuration, conditions = [], ...counts } = poolStatus({ pool, members, waiting: [], now });
    return {
      ...counts,
      configuration: configuration?.name,
      source: configuration?.source?.map(({ name }) => name),
      conditions: shortConditions(pool, conditions),
    };
  });
});
