import { kinds } from "../../src/cluster/kube/kinds.ts";
import { type Clock, systemClock } from "../../src/cluster/runtime/clock.ts";
import {
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { longestMs } from "../../src/domain/rollout/barrier.ts";
import { heldAnnotation } from "../../src/domain/rollout/held.ts";
import { changes, type ProfileChange } from "./profile-changes.ts";
import { poolName, type ProfileCluster } from "./profile-cluster.ts";

/** Every config that the pool had as its target, in order. */
async function targets({ client, signal, run }: ProfileCluster): Promise<readonly string[]> {
  // Without a profile the pool has a config too, to which it returns.
  const metadata = { name: "00-worker-cnf", labels: { [roleLabel]: poolName } };
  const { apiVersion, kind } = machineConfigKind;
  await client.create(machineConfigKind, { apiVersion, kind, metadata, spec: { kernelArguments: ["quiet"] } });
  const names: string[] = [];
  const follow = async (): Promise<void> => {
    for await (const event of client.watch(machineConfigPoolKind, { sendInitialEvents: true, signal })) {
      if (event.type === "BOOKMARK" || event.type === "ERROR" || event.object.metadata.name !== poolName) continue;
      const name = event.object.spec?.configuration?.name;
      if (name !== undefined && name !== names.at(-1)) names.push(name);
    }
  };
  run(follow().catch((error: unknown) => void (signal.aborted || Promise.reject(error as Error))));
  return names;
}

/** Whether the pool has all of a change as its target, and the objects of the profile are all there, or all gone. */
async function isOver({ client }: ProfileCluster, { ends }: ProfileChange): Promise<boolean> {
  const { metadata, spec } = await client.get(machineConfigPoolKind, poolName);
  const { name } = spec?.configuration ?? {};
  if (name === undefined || metadata.annotations?.[heldAnnotation] !== undefined) return false;
  const words = (await client.get(machineConfigKind, name)).spec?.kernelArguments ?? [];
  const lists = await Promise.all([
    client.list(performanceProfileKind),
    client.list(kubeletConfigKind),
    client.list(kinds.runtimeClass),
    client.list(tunedKind, { namespace: tuningNamespace }),
  ]);
  const counts = lists.map(({ items }) => items.length).join(" ");
  return ends === undefined ? words.length === 1 && counts === "0 0 0 1" : words.includes(ends) && counts === "1 1 1 2";
}

/** How long a test waits for a change. */
export const longestChangeMs = 100_000;

/** A barrier that gave up, which costs a second rollout, is always a change that took too long: the test says which of the two. */
const speed = longestMs / longestChangeMs;

/** Time runs faster, so that nothing waits for the quiet time of the barrier. */
export const fast: Clock = {
  now: () => start + (systemClock.now() - start) * speed,
  monotonic: () => systemClock.monotonic() * speed,
  after: (ms, callback) => systemClock.after(ms / speed, callback),
};
const start = systemClock.now();

/** Kills an operator at each of its writes during each change. `kill` resolves with whether the operator came so far. */
export async function killAtEachWrite(
  cluster: ProfileCluster,
  writes: { readonly first: number; readonly last: number },
  operator: {
    readonly kill: (at: number, isOver: () => Promise<boolean>) => Promise<boolean>;
    readonly finish: (isOver: () => Promise<boolean>) => Promise<void>;
  },
): Promise<string[]> {
  const names = await targets(cluster);
  const results: string[] = [];
  const isFirst = (): Promise<boolean> => Promise.resolve(names.length > 0);
  await operator.finish(isFirst);
  for (let at = writes.first, isReached = true; isReached && at <= writes.last; at++) {
    isReached = false;
    for (const [index, change] of changes.entries()) {
      const before = names.length;
      await change.make(cluster.client);
      const over = (): Promise<boolean> => isOver(cluster, change);
      isReached = (await operator.kill(at, over)) || isReached;
      await operator.finish(over);
      results.push(`change ${index}, killed after write ${at}: ${names.length - before} rollouts`);
    }
  }
  return results;
}
