import type { Source } from "../../protocol/frames.ts";
import { Empty, SourceProblems } from "../parts/states.tsx";
import { useTopic } from "../stream/use-topic.ts";

const what: Readonly<Record<string, string>> = {
  Node: "the nodes",
  MachineConfigPool: "the pools",
  PerformanceProfile: "the performance profiles",
  NodePool: "the NodePools",
  ConfigMap: "the ConfigMaps with the profiles of NodePools",
};

interface DesignProblemsProps {
  readonly sources: ReadonlyMap<string, Source>;
  /** Nodes of NodePools that this console does not see. */
  readonly unmanaged: number | undefined;
}

/** What keeps a person from designing a profile, and what to do about it. */
export function DesignProblems({ sources, unmanaged }: DesignProblemsProps) {
  const { rows } = useTopic("kinds");
  const hasNodePools = rows.get("NodePool.hypershift.openshift.io")?.served === true;
  const known = [...sources].filter(([source]) => {
    const [kind, cluster] = source.split(" of ");
    // Where no cluster has them, nobody misses the right to see them.
    if (kind === "NodePool") return hasNodePools;
    // Nodes of NodePools are in the other cluster.
    const isManagement = cluster !== undefined && sources.get(`NodePool of ${cluster}`)?.state !== "absent";
    return !(kind === "Node" && isManagement);
  });
  const named = known.map(([source]): [string, string] => {
    const [kind = "", cluster] = source.split(" of ");
    return [source, cluster === undefined ? (what[kind] ?? kind) : `${what[kind] ?? kind} of cluster ${cluster}`];
  });
  return (
    <>
      <SourceProblems sources={new Map(known)} what={Object.fromEntries(named)} />
      {unmanaged === undefined || hasNodePools ? null : (
        <Empty
          title="The profiles of these nodes are in another cluster"
          command="attune console --context HOSTED --context MANAGEMENT"
        >
          {unmanaged === 1 ? "1 node is" : `${unmanaged} nodes are`} in NodePools. A NodePool and the ConfigMap with its
          profile are in the management cluster, which this console does not show. Start one with the contexts of both.
        </Empty>
      )}
    </>
  );
}
