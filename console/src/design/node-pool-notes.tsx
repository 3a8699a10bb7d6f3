import type { DesignedNodePool } from "../../protocol/topics.ts";

/** Where the profile of a NodePool is written, and whom else that concerns. */
export function NodePoolNotes({ designed }: { readonly designed: DesignedNodePool }) {
  const { given, nodePool, management, hosted, sharing } = designed;
  const { name, namespace } = nodePool.metadata;
  return (
    <>
      <p>
        {given
          ? `The profile is in ConfigMap ${namespace}/${given.configMap.metadata.name} of cluster ${management}.`
          : `Apply writes a ConfigMap into namespace ${namespace} of cluster ${management}, and its name into NodePool ${name}.`}
      </p>
      {sharing.length > 0 ? (
        <p>
          {`NodePool ${sharing.join(", ")} ${sharing.length === 1 ? "refers" : "refer"} to the same ConfigMap: nodes change there too, as the review shows.`}
        </p>
      ) : null}
      {hosted === undefined ? (
        <p>
          No other cluster of this console has nodes of this NodePool alone, so that their hardware and what they have
          now are not known here. The review knows what the NodePool gets.
        </p>
      ) : null}
    </>
  );
}
