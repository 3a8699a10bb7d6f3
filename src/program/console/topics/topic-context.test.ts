import { expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { TopicTable } from "../stream/topic-table.ts";
import { TopicContext, type UserCluster } from "./topic-context.ts";

const microtasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("has all its rows only when caches that it found it needs are read too", async () => {
  const clock = new VirtualClock();
  const table = new TopicTable(clock, () => {});
  const own = {} as UserCluster;
  const { signal } = new AbortController();
  const context = new TopicContext<"designs">({ argument: "", own, clusters: new Map(), table, clock, signal });
  context.setSource("NodePool", { state: "loading" });
  context.whenSettled(() => {
    context.setSource("ConfigMap", { state: "loading" });
    context.whenSettled(() => context.set("pool/clusters/workers", { nodes: 1 }));
  });
  context.setSource("NodePool", { state: "ready" });
  await microtasks();
  expect(table.isSettled).toBe(false);
  context.setSource("ConfigMap", { state: "ready" });
  await microtasks();
  expect([table.isSettled, table.rows.size]).toEqual([true, 1]);
});
