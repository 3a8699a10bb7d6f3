import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Clock, pause, systemClock } from "../../../cluster/runtime/clock.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { profileKind } from "../../../domain/node-tuning/api.ts";
import { SharedTexts } from "../../../domain/node-tuning/projections.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { projectRolloutNode, type RolloutNode } from "../../../domain/rollout/rollout-node.ts";
import { gatherRest, gatherStatus, type StatusSource } from "./gather-status.ts";
import type { StatusObjects } from "./status-report.ts";

/** Changes of thousands of nodes come together: they are shown together. */
const gatherMs = 250;
/** Leases and Deployments are read this often. Ages in the text change as time goes by, too. */
const restMs = 5000;

/** Calls back with the state now, and again after changes, until the signal aborts. */
export async function followStatus(
  source: StatusSource,
  onState: (state: StatusObjects) => void,
  clock: Clock = systemClock,
): Promise<void> {
  const { client, namespace, signal } = source;
  const first = await gatherStatus(source);
  onState(first);
  const texts = new SharedTexts();
  const nodes = createInformer(client, kinds.node, {
    project: (node) => projectRolloutNode(node as unknown as RolloutNode),
  });
  const profiles = createInformer(client, profileKind, { namespace, project: texts.project });
  // A cluster without a kind has none to follow.
  const pools = first.pools.length > 0 ? createInformer(client, machineConfigPoolKind) : undefined;
  const performance = first.performanceProfiles.length > 0 ? createInformer(client, performanceProfileKind) : undefined;
  const followed = [
    nodes,
    ...(first.profiles ? [profiles] : []),
    ...(pools ? [pools] : []),
    ...(performance ? [performance] : []),
  ];
  let isChanged = true;
  for (const informer of followed) informer.subscribe(() => (isChanged = true));
  const running = followed.map((informer) => informer.run(signal));
  await Promise.all(followed.map((informer) => informer.whenSynced(signal))).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  let rest = { nodePools: first.nodePools, system: first.system, managementState: first.managementState };
  let readAt = clock.monotonic();
  while (!signal.aborted) {
    const isDue = clock.monotonic() - readAt >= restMs;
    if (isDue) {
      rest = await gatherRest(source);
      readAt = clock.monotonic();
    }
    if (isChanged || isDue) {
      isChanged = false;
      onState({
        nodes: nodes.list(),
        profiles: first.profiles && profiles.list(),
        pools: pools?.list() ?? [],
        performanceProfiles: performance?.list() ?? [],
        ...rest,
      });
    }
    await pause(clock, gatherMs, signal);
  }
  await Promise.all(running);
}
