import { ifThere, isAlreadyExists } from "../../src/cluster/kube/api-error.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import {
  type KubeletConfig,
  kubeletConfigKind,
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
  roleLabel,
} from "../../src/domain/machine-config/api.ts";
import { renderPool } from "../../src/domain/machine-config/render-pool.ts";
import { selects } from "../../src/domain/performance-profile/pools.ts";
import type { KindRef } from "../../src/language/object/meta.ts";
import { sha256 } from "../../src/program/operator/sha256.ts";

/**
 * What a machine config operator does with pools, at its worst: it renders at every event, not five seconds after the last one,
 * and begins a rollout at once unless the pool is paused.
 */
export class MachineConfigOperator {
  /** The configs that nodes of each pool were told, in order. */
  readonly rollouts: string[] = [];
  readonly #client: Client;
  #last: Promise<void> = Promise.resolve();

  constructor(client: Client) {
    this.#client = client;
  }

  async run(signal: AbortSignal): Promise<void> {
    const follow = async (kind: KindRef): Promise<void> => {
      try {
        for await (const _ of this.#client.watch(kind, { sendInitialEvents: true, signal })) await this.sync();
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    };
    await Promise.all([machineConfigKind, kubeletConfigKind, machineConfigPoolKind].map(follow));
  }

  /** Until everything that is stored now is rendered. */
  async sync(): Promise<void> {
    this.#last = this.#last.then(() => this.#pass());
    await this.#last;
  }

  async #pass(): Promise<void> {
    const { items: pools } = await this.#client.list(machineConfigPoolKind);
    for (const config of (await this.#client.list(kubeletConfigKind)).items) await this.#generate(config, pools);
    for (const pool of pools) await this.#render(pool);
  }

  async #generate(config: KubeletConfig, pools: readonly MachineConfigPool[]): Promise<void> {
    const { name = "", generation, deletionTimestamp, finalizers = [] } = config.metadata;
    const client = this.#client;
    const setFinalizers = (names: readonly string[]): Promise<unknown> =>
      ifThere(client.patch(kubeletConfigKind, name, { type: "merge", patch: { metadata: { finalizers: names } } }));
    if (deletionTimestamp) {
      for (const one of finalizers) await ifThere(client.delete(machineConfigKind, one));
      if (finalizers.length > 0) await setFinalizers([]);
      return;
    }
    if (config.status?.observedGeneration === generation) return;
    const chosen = pools.filter(({ metadata }) =>
      selects(config.spec?.machineConfigPoolSelector, metadata.labels ?? {}),
    );
    const names = chosen.map(({ metadata }) => `99-${metadata.name}-generated-kubelet`);
    if (finalizers.length === 0) await setFinalizers(names);
    for (const { metadata } of chosen) await this.#store(kubeletFile(metadata.name ?? "", config));
    const status = { observedGeneration: generation, conditions: [{ type: "Success", status: "True", message: "" }] };
    await ifThere(
      client.patch(kubeletConfigKind, name, { type: "merge", patch: { status } }, { subresource: "status" }),
    );
  }

  async #store(config: MachineConfig): Promise<void> {
    try {
      await this.#client.create(machineConfigKind, config);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { name = "" } = config.metadata;
      await this.#client.patch(machineConfigKind, name, { type: "merge", patch: { spec: config.spec } });
    }
  }

  /** It renders none of a pool whose KubeletConfigs it has not observed. */
  async #render(listed: MachineConfigPool): Promise<void> {
    const { name = "", labels = {} } = listed.metadata;
    const { items: kubeletConfigs } = await this.#client.list(kubeletConfigKind);
    const isPending = kubeletConfigs.some(
      ({ metadata, spec, status }) =>
        selects(spec?.machineConfigPoolSelector, labels) && status?.observedGeneration !== metadata.generation,
    );
    if (isPending) return;
    const { items } = await this.#client.list(machineConfigKind);
    const machineConfigs = items.filter(({ metadata }) =>
      selects(listed.spec?.machineConfigSelector, metadata.labels ?? {}),
    );
    const rendering = renderPool({ pool: listed, machineConfigs, version: "mco", digest: sha256 });
    if (rendering.type !== "rendered") return;
    const rendered = rendering.config.metadata.name ?? "";
    await this.#client.create(machineConfigKind, rendering.config).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    const patch = { spec: { configuration: { name: rendered, source: rendering.sources } } };
    const { spec } = await this.#client.patch(machineConfigPoolKind, name, { type: "merge", patch });
    if (!spec?.paused && this.rollouts.at(-1) !== rendered) this.rollouts.push(rendered);
  }
}

function kubeletFile(pool: string, { spec }: KubeletConfig): MachineConfig {
  const source = `data:,${encodeURIComponent(JSON.stringify(spec?.kubeletConfig))}`;
  const files = [{ path: "/etc/kubernetes/kubelet.conf", mode: 0o644, overwrite: true, contents: { source } }];
  return {
    apiVersion: machineConfigKind.apiVersion,
    kind: "MachineConfig",
    metadata: { name: `99-${pool}-generated-kubelet`, labels: { [roleLabel]: pool } },
    spec: { config: { ignition: { version: "3.2.0" }, storage: { files } } },
  };
}
