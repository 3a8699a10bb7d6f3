import { expect, test } from "vitest";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { VirtualClock } from "../../../../cluster/runtime/testing/virtual-clock.ts";
import { MemoryCluster } from "../../workloads/testing/memory-cluster.ts";
import { PodEvents } from "./pod-events.ts";

const pod = (index: number) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: `p${index}`, namespace: "work" } });

test("Normal events of thousands of pods at once are limited, Warning events are not", async () => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster(clock);
  const events = new PodEvents({ kubelet: () => cluster.client, clock });
  const recorded = (): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const event of cluster.list(kinds.event)) {
      const reason = String((event as { reason?: string }).reason);
      counts[reason] = (counts[reason] ?? 0) + 1;
    }
    return counts;
  };
  for (let index = 0; index < 1000; index++) events.started(pod(index), `n${index}`, "example.com/x:1");
  await clock.advance(10_000);
  for (let index = 0; index < 1000; index++) events.stopping(pod(index), `n${index}`, "main");
  for (let index = 0; index < 1000; index++) events.warn(pod(index), `n${index}`, "BackOff", "it does not start");
  await events.stop();
  expect(recorded()).toEqual({ Pulled: 100, Created: 100, Started: 100, Killing: 30, BackOff: 1000 });
});
