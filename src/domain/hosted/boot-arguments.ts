import { generatedAnnotation } from "../node-tuning/api.ts";
import type { PoolArguments } from "../node-tuning/boot/boot-arguments.ts";
import { poolMachineConfig } from "../node-tuning/boot/machine-configs.ts";
import { type MachineConfig, machineConfigKind } from "../machine-config/api.ts";
import { configKinds } from "./envelope/manifest-kinds.ts";
import { type ConfigMap, readManifests } from "./envelope/read-manifests.ts";
import { envelope, manifestsText } from "./envelope/write-manifests.ts";
import {
  bootArgumentsConfigMap,
  configKey,
  contentOf,
  type HostedProtocol,
  keys,
  marksOf,
  nodePoolOf,
} from "./protocol.ts";

export interface BootConfigMapsInput {
  /** One for each NodePool that a rule without `match` is for. */
  readonly pools: readonly PoolArguments[];
  /** Names of NodePools that such a rule is for, whether or not it is chosen for a node. */
  readonly wanted: ReadonlySet<string>;
  /** ConfigMaps of the control plane namespace. */
  readonly observed: readonly ConfigMap[];
  readonly namespace: string;
  /** Of the operator. */
  readonly version: string;
  readonly protocol: HostedProtocol;
}

export interface BootConfigMaps {
  readonly wanted: readonly ConfigMap[];
  readonly orphaned: readonly ConfigMap[];
}

/** The ConfigMaps with the boot arguments on which the nodes of each NodePool agree. One of an unclear NodePool stays as it is. */
export function bootConfigMaps(input: BootConfigMapsInput): BootConfigMaps {
  const found = new Map(input.observed.map((one) => [one.metadata.name, one]));
  const namespaces = poolNamespaces(input.observed);
  const wanted = input.pools.flatMap((pool) => {
    const there = found.get(bootArgumentsConfigMap(pool.pool));
    const machineConfig = poolMachineConfig(pool, there && machineConfigIn(there), input.version);
    const poolNamespace = namespaces.get(pool.pool) ?? "";
    return machineConfig ? [configMapFor(machineConfig, input, { nodePool: pool.pool, poolNamespace })] : [];
  });
  const orphaned = input.observed.filter((one) => isOurs(one) && !input.wanted.has(nodePoolOf(one)));
  return { wanted, orphaned };
}

/** By its name too: another ConfigMap with the same labels is of another owner. */
function isOurs(configMap: ConfigMap): boolean {
  const { name, annotations = {} } = configMap.metadata;
  return (
    contentOf(configMap) === "machineConfig" &&
    name === bootArgumentsConfigMap(nodePoolOf(configMap)) &&
    Object.hasOwn(annotations, generatedAnnotation)
  );
}

/** What cannot be read is written anew. */
function machineConfigIn(configMap: ConfigMap): MachineConfig | undefined {
  const { manifests } = readManifests(configMap, [configKey], configKinds);
  return manifests.map(({ object }) => object).find(({ kind }) => kind === machineConfigKind.kind);
}

interface Pool {
  readonly nodePool: string;
  readonly poolNamespace: string;
}

function configMapFor(machineConfig: MachineConfig, input: BootConfigMapsInput, pool: Pool): ConfigMap {
  const { namespace, protocol } = input;
  const { nodePool, poolNamespace } = pool;
  const { name, annotations = {} } = machineConfig.metadata;
  const marks = marksOf("machineConfig", protocol).map((mark) => [mark, "true"]);
  return envelope({
    name: bootArgumentsConfigMap(nodePool),
    namespace,
    labels: { [keys.nodePool]: nodePool, ...Object.fromEntries(marks) },
    annotations: { ...annotations, [keys.nodePool]: protocol.bootArgumentsPool(poolNamespace, nodePool) },
    key: configKey,
    // A NodePool takes all MachineConfigs that are generated for it: none needs the label of a pool.
    text: manifestsText([{ ...machineConfig, metadata: { name, annotations } }]),
  });
}

/** By the name of a NodePool: where it is. The management side has that in the annotations of what it hands over. */
function poolNamespaces(observed: readonly ConfigMap[]): Map<string, string> {
  return new Map(
    observed.flatMap(({ metadata: { annotations = {} } }): [string, string][] => {
      const [namespace = "", name] = (annotations[keys.nodePool] ?? "").split("/");
      return name === undefined ? [] : [[name, namespace]];
    }),
  );
}
