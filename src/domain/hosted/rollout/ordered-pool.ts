import { filesOf, ignitionConfig } from "../../../language/ignition/config.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import {
  apiVersion,
  type ContainerRuntimeConfig,
  containerRuntimeConfigKind,
  type KubeletConfig,
  kubeletConfigKind,
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
} from "../../machine-config/api.ts";
import { generatedRuntime } from "../../machine-config/container-runtime-config/runtime-config-kind.ts";
import type { RenderProblem } from "../../machine-config/culprit.ts";
import { imageFiles } from "../../machine-config/image-policies/image-files.ts";
import { generatedKubelet } from "../../machine-config/kubelet-config/kubelet-config-kind.ts";
import { generate } from "../../machine-config/pool-configs/generate.ts";
import type { GeneratedKind, PoolConfig } from "../../machine-config/pool-configs/generated-kind.ts";
import { targetPools } from "../../machine-config/pool-configs/target-pools.ts";
import type { PoolSources } from "../../rollout/pool-authority.ts";
import { orderConfigMap, type PoolOrder, readPayload } from "../handover/pool-order.ts";
import { keys } from "../protocol.ts";

/** On a MachineConfigPool: it is made for a NodePool, and goes with it. */
export const poolMark = "rollout.attune.dev/node-pool";

/** As it is written. Its target is written by the rollout. */
export function orderedPool({ nodePool: { name }, paused, maxUnavailable }: PoolOrder): MachineConfigPool {
  const selector = { matchLabels: { [keys.nodePool]: name } };
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name, labels: { [keys.nodePool]: name, [poolMark]: "true" } },
    spec: { nodeSelector: selector, machineConfigSelector: selector, paused, maxUnavailable },
  };
}

/** A pool of the cluster as it should be: with the target that was noted. */
export function trustedPool(
  order: PoolOrder,
  { metadata, spec, ...observed }: MachineConfigPool,
  rendering: string | undefined,
): MachineConfigPool {
  const wanted = orderedPool(order);
  const isNoted = rendering === spec?.configuration?.name;
  // Without its sources it differs from what the rollout wants, which writes it then.
  const configuration = rendering === undefined ? undefined : isNoted ? spec?.configuration : { name: rendering };
  return {
    ...observed,
    metadata: { ...metadata, labels: { ...metadata.labels, ...wanted.metadata.labels } },
    spec: { ...wanted.spec, ...(configuration ? { configuration } : {}) },
  };
}

/** What the payload of an order comes to. Its version is the target: the same order is rendered once. */
export function orderedSources(order: PoolOrder, version: string): PoolSources {
  const { nodePool, payload } = order;
  const read = readPayload(payload, nodePool.name);
  if (read.type === "problem") return { sources: [], problems: [problemOf(order, read.problem)] };
  const pool = orderedPool(order);
  const objects = read.value;
  const given = objects.filter(isKind<MachineConfig>(machineConfigKind)).map((config) => labelled(config, order));
  const problems: RenderProblem[] = [];
  const generated = [
    ...generatedFor(generatedKubelet, objects.filter(isKind<KubeletConfig>(kubeletConfigKind))),
    ...generatedFor(generatedRuntime, objects.filter(isKind<ContainerRuntimeConfig>(containerRuntimeConfigKind))),
    ...forImages(),
  ];
  const sources = [...given, ...generated.map((config) => labelled(config, order))];
  return { sources: problems.length > 0 ? [] : sources, problems };

  function forImages(): readonly MachineConfig[] {
    const [target] = targetPools([pool], given, () => false);
    const { files, problems: found } = imageFiles(objects, (path) => target?.textOf(path));
    const name = `99-${nodePool.name}-generated-registries`;
    problems.push(...found, ...given.flatMap((config) => replacedFiles(config, { name, files })));
    return files.length > 0
      ? [{ apiVersion, kind: machineConfigKind.kind, metadata: { name }, spec: { config: ignitionConfig(files) } }]
      : [];
  }

  function generatedFor<T extends PoolConfig>(kind: GeneratedKind<T>, objects: readonly T[]): readonly MachineConfig[] {
    const selected = objects.map((object) => ({
      ...object,
      spec: { ...object.spec, machineConfigPoolSelector: { matchLabels: pool.metadata.labels ?? {} } },
    }));
    const { outcomes, machineConfigs } = generate(kind, {
      pools: [pool],
      objects: selected,
      machineConfigs: given,
      version,
    });
    for (const [name, outcome] of outcomes)
      for (const { field, message } of outcome.problems)
        problems.push({ object: { apiVersion, kind: kind.kind.kind, name }, field, message });
    // Without their notes about KubeletConfigs: those are no objects of the cluster, and none is waited for.
    return machineConfigs.map((config) => ({ ...config, metadata: { name: config.metadata.name } }));
  }
}

function isKind<T extends KubeObject>(of: { apiVersion: string; kind: string }): (object: KubeObject) => object is T {
  return (object): object is T => object.apiVersion === of.apiVersion && object.kind === of.kind;
}

/** Of two MachineConfigs with one file, nodes get that of the later name: mirrors and signatures would be lost in silence. */
function replacedFiles(
  { metadata: { name = "" }, spec }: MachineConfig,
  generated: { readonly name: string; readonly files: readonly { readonly path: string }[] },
): RenderProblem[] {
  if (name <= generated.name) return [];
  const paths = filesOf(spec?.config).map(({ path }) => path);
  return generated.files
    .filter(({ path }) => paths.includes(path))
    .map(({ path }) => ({
      object: { apiVersion, kind: machineConfigKind.kind, name },
      field: "metadata.name",
      message: `${path} would replace what policies of images give: choose a name before ${generated.name}`,
    }));
}

/** Selected by its pool, whatever its author wrote. */
function labelled(config: MachineConfig, { nodePool, target }: PoolOrder): MachineConfig {
  const { name, annotations } = config.metadata;
  const labels = { [keys.nodePool]: nodePool.name };
  return {
    ...config,
    metadata: { name, labels, ...(annotations ? { annotations } : {}), resourceVersion: target.full },
  };
}

function problemOf({ nodePool }: PoolOrder, message: string): RenderProblem {
  return {
    object: { apiVersion: "v1", kind: "ConfigMap", name: orderConfigMap(nodePool.name) },
    field: "payload",
    message,
  };
}
