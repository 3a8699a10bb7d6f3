import { changesNodes, type NodePoolChange } from "../../../src/domain/plan/node-pools/node-pool-change.ts";
import type { ChangePlan } from "../../../src/domain/plan/change-plan.ts";

type Pools = Pick<ChangePlan, "nodePools">;

/** How many nodes of NodePools change at all, restart, and give way to new ones: they are in another cluster, without names here. */
export function nodePoolCounts({ nodePools = [] }: Pools): { changed: number; reboots: number; replaced: number } {
  const count = (of: (change: NodePoolChange) => boolean): number =>
    nodePools.filter(of).reduce((sum, { nodes }) => sum + nodes, 0);
  return {
    changed: count(changesNodes),
    reboots: count(({ rollout }) => rollout?.upgradeType === "InPlace" && rollout.level === "reboot"),
    replaced: count(({ rollout }) => rollout?.upgradeType === "Replace"),
  };
}

/** What the nodes of each NodePool get: settings at once, and a configuration by its rollout. */
export function NodePoolChanges({ nodePools }: { readonly nodePools: readonly NodePoolChange[] }) {
  return nodePools.map((change) => {
    const { nodePool, hostedCluster, configMaps, nodes, tuning, rollout, waits } = change;
    const settings = tuning?.settings ?? [];
    return (
      <section key={nodePool} className="plan-nodes" aria-label={`NodePool ${nodePool}`}>
        <h2>
          NodePool {nodePool} of HostedCluster {hostedCluster}, {nodes} {nodes === 1 ? "node" : "nodes"}
        </h2>
        {configMaps.length > 0 ? <p>It refers to ConfigMap {configMaps.join(", ")}.</p> : null}
        {tuning && tuning.before !== tuning.after ? (
          <p>
            Profile: {tuning.before ?? "none"} → {tuning.after ?? "none"}
          </p>
        ) : null}
        {settings.length > 0 ? (
          <ul className="plan-settings">
            {settings.map(({ unit, option, before, after }) => (
              <li key={`${unit} ${option}`}>
                {unit} {option}: {before?.value ?? "not set"} → {after?.value ?? "as it was"}
              </li>
            ))}
          </ul>
        ) : null}
        {tuning && tuning.unresolved.length > 0 ? (
          <p className="attune-note">
            Not evaluated: what depends on the hardware of nodes, which the hosted cluster knows.
          </p>
        ) : null}
        <p>{actionOf(change)}</p>
        {rollout?.problem === undefined ? null : <p>Its nodes would refuse it: {rollout.problem}</p>}
        {waits.map(({ message }) => (
          <p key={message}>Waits: {message}</p>
        ))}
      </section>
    );
  });
}

function actionOf({ rollout, tuning, nodes }: NodePoolChange): string {
  if (!rollout) return tuning ? "No node restarts." : "Nothing changes on its nodes.";
  const because = rollout.because.length > 0 ? `, because of ${rollout.because.slice(0, 4).join(", ")}` : "";
  if (rollout.upgradeType === "Replace") return `Each node is replaced by a new machine${because}.`;
  return `${rollout.level}${nodes > rollout.atOnce ? `, ${rollout.atOnce} at a time` : ""}${because}`;
}
