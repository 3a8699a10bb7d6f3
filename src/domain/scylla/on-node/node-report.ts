import { apiVersion, type ScyllaNodeConfig } from "../api.ts";
import type { ConfigMap } from "../gate/release.ts";
import { labelValue } from "../label-value.ts";
import { nodeConfigLabel, nodeLabel, releaseName, tuningNamespace } from "../names.ts";
import type { Problem } from "./databases.ts";

interface Node {
  readonly name: string;
  readonly uid: string;
}

export function reportName({ uid }: Node): string {
  return `perftune-node-${uid}`;
}

/** What the agent of a node tells the operator about databases whose CPUs it cannot find: there is no Job that could fail. */
export function nodeReport(unknown: readonly Problem[], config: ScyllaNodeConfig, node: Node): ConfigMap {
  const { name = "", uid = "" } = config.metadata;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: reportName(node),
      namespace: tuningNamespace,
      labels: { [nodeConfigLabel]: labelValue(name), [nodeLabel]: labelValue(node.name) },
      ownerReferences: [{ apiVersion, kind: "ScyllaNodeConfig", name, uid, controller: true }],
    },
    data: { node: node.name, cpusUnknown: unknown.map(describe).join("\n") },
  };
}

function describe({ pod: { metadata }, reason }: Problem): string {
  const { namespace = "", name = "", uid = "" } = metadata;
  const byHand = `kubectl create configmap ${releaseName(uid)} -n ${namespace}`;
  return `the CPUs of ${namespace}/${name} are not known: ${reason}; to start it without tuning: ${byHand}`;
}

/** These databases, a line each; empty if there are none. */
export function unknownIn(report: ConfigMap | undefined): string {
  return report?.data?.["cpusUnknown"] ?? "";
}
