import { gateName } from "../../src/domain/scylla/gate/gate-names.ts";
import { sidecarCommand } from "../../src/domain/scylla/gate/sidecar.ts";
import { scyllaNodeConfigKind, type ScyllaNodeConfig } from "../../src/domain/scylla/api.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";

export function nodeObject(name: string, labels: Readonly<Record<string, string>> = {}): KubeObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels: { ...labels } } };
}

export function nodeConfig(name: string, spec: ScyllaNodeConfig["spec"] = {}): ScyllaNodeConfig {
  const { apiVersion, kind } = scyllaNodeConfigKind;
  return { apiVersion, kind, metadata: { name }, spec };
}

export interface ScyllaPodOptions {
  readonly nodeName?: string;
  readonly guaranteed?: boolean;
  readonly gated?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A database, as a ScyllaCluster's operator creates it. */
export function scyllaPod(
  name: string,
  { nodeName, guaranteed = false, gated = false, labels = {} }: ScyllaPodOptions = {},
): KubeObject {
  const amounts = { cpu: "2", memory: "1Gi" };
  const resources = guaranteed ? { requests: amounts, limits: amounts } : { requests: amounts };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      labels: { "scylla-operator.scylladb.com/pod-type": "scylladb-node", ...labels },
    },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      containers: [
        { name: "scylla", image: "scylladb/scylla:2025.1.5", resources },
        ...(gated
          ? [{ name: gateName, image: "attune", command: [...sidecarCommand], ...(guaranteed ? { resources } : {}) }]
          : []),
      ],
    },
  };
}
