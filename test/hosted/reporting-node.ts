import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { systemClock } from "../../src/cluster/runtime/clock.ts";
import { profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { inputsOf } from "../../src/domain/node-tuning/node-profile.ts";
import type { ProfileWorld } from "./profile-world.ts";

/** What the agent of a node does for every version of its Profile: it reports that it is applied. Until the signal. */
export async function reportAlways(world: ProfileWorld, node: string, signal: AbortSignal): Promise<void> {
  const profiles = createInformer(world.hosted, profileKind, { namespace: tuningNamespace, clock: systemClock });
  const reports: Promise<void>[] = [];
  let known = "";
  profiles.subscribe(() => {
    const profile = profiles.get(`${tuningNamespace}/${node}`);
    if (!profile || inputsOf(profile.spec) === known) return;
    known = inputsOf(profile.spec);
    const report = { node, status: { applied: "True" }, bootcmdline: "x", deps: "current" };
    reports.push(world.change({ nodeSide: [report] }));
  });
  await profiles.run(signal);
  await Promise.all(reports);
}
