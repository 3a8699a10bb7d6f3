import { describe, expect, test } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { systemClock } from "../../src/cluster/runtime/clock.ts";
import {
  apiVersion,
  type KubeletConfig,
  kubeletConfigKind,
  type MachineConfig,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { generatedKubelet } from "../../src/domain/machine-config/kubelet-config/kubelet-config-kind.ts";
import { plainPath } from "../../src/domain/machine-config/kubelet-config/kubelet-files.ts";
import { poolConfigController } from "../../src/domain/machine-config/pool-configs/pool-config-controller.ts";
import { filesOf } from "../../src/language/ignition/config.ts";
import { contentsOf } from "../../src/language/ignition/file-contents.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import { serverVariants } from "../servers/server-under-test.ts";
import { type StartServer, testCluster, type TestCluster } from "../../src/program/cli/testing/test-cluster.ts";

interface Watched {
  readonly cluster: TestCluster;
  readonly config: (name: string) => KubeletConfig | undefined;
  readonly generated: (pool: string) => MachineConfig | undefined;
  /** Waits for events until it holds. */
  readonly until: (holds: () => unknown) => Promise<void>;
}

/** An API server with the pools worker and rt, and the controller on it. */
async function watched(start: StartServer): Promise<Watched> {
  const cluster = await testCluster([...machineConfigCrds], start);
  const { client, signal, run } = cluster;
  for (const name of ["worker", "rt"])
    await client.create(machineConfigPoolKind, {
      apiVersion,
      kind: "MachineConfigPool",
      metadata: { name, labels: { pool: name } },
    });
  const objects = createInformer(client, kubeletConfigKind, {});
  const pools = createInformer(client, machineConfigPoolKind, {});
  const machineConfigs = createInformer(client, machineConfigKind, {});
  for (const informer of [objects, pools, machineConfigs]) run(informer.run(signal));
  const options = { client, objects, pools, machineConfigs, version: "1", clock: systemClock };
  run(poolConfigController({ ...options, kind: generatedKubelet }).run(signal));
  return {
    cluster,
    config: (name) => objects.get(name),
    generated: (pool) => machineConfigs.get(`99-${pool}-generated-kubelet`),
    until: (holds) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (holds()) resolve();
        };
        for (const informer of [objects, pools, machineConfigs]) informer.subscribe(check);
      }),
  };
}

function kubeletConfig(name: string, pool: string, fields: object): KubeletConfig {
  return {
    apiVersion,
    kind: "KubeletConfig",
    metadata: { name },
    spec: { machineConfigPoolSelector: { matchLabels: { pool } }, kubeletConfig: fields },
  };
}

function fieldsOf(config: MachineConfig | undefined): unknown {
  const [file] = filesOf(config?.spec?.config).filter(({ path }) => path === plainPath);
  return file && readYaml(contentsOf(file) ?? "");
}

/** As the server has it: the cache of one kind may be behind that of another. */
function stored(client: Client, pool: string): Promise<MachineConfig> {
  return client.get(machineConfigKind, `99-${pool}-generated-kubelet`);
}

const header = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" };

for (const { name: server, start } of serverVariants())
  describe(`KubeletConfigs on the ${server} server`, { timeout: 120_000 }, () => {
    test("become one MachineConfig for each pool, which follows edits, moves and deletions (machine-config W-8, machine-config W-9)", async () => {
      const { cluster, config, generated, until } = await watched(start);
      const { client } = cluster;
      await client.create(kubeletConfigKind, {
        ...kubeletConfig("a", "worker", { maxPods: 100, podPidsLimit: 0 }),
        metadata: { name: "a", finalizers: ["example.com/mine"], annotations: { mine: "kept" } },
      });
      await until(() => config("a")?.status?.conditions?.at(-1)?.type === "Success");
      expect(fieldsOf(await stored(client, "worker"))).toEqual({ ...header, maxPods: 100, podPidsLimit: 0 });
      expect(config("a")?.metadata.finalizers).toEqual(["example.com/mine", "99-worker-generated-kubelet"]);
      expect(config("a")?.metadata.annotations).toMatchObject({ mine: "kept" });

      await client.create(kubeletConfigKind, kubeletConfig("b", "worker", { maxPods: 50, enableServer: false }));
      await until(() => config("a")?.status?.conditions?.some(({ type }) => type === "Conflicting"));
      await until(() => config("b")?.status?.conditions?.some(({ type }) => type === "Conflicting"));
      expect(fieldsOf(await stored(client, "worker"))).toEqual({
        ...header,
        maxPods: 50,
        podPidsLimit: 0,
        enableServer: false,
      });
      const conflictOf = (name: string): string | undefined => config(name)?.status?.conditions?.[0]?.message;
      expect(conflictOf("a")).toBe(
        "pool worker: spec.kubeletConfig.maxPods is used from b, which is newer, and not from here",
      );
      expect(conflictOf("b")).toBe(
        "pool worker: spec.kubeletConfig.maxPods is used from here, and not from a, which is older",
      );

      const move = { spec: { machineConfigPoolSelector: { matchLabels: { pool: "rt" } } } };
      await client.patch(kubeletConfigKind, "b", { type: "merge", patch: move });
      await until(() => config("b")?.metadata.finalizers?.join(" ") === "99-rt-generated-kubelet");
      await until(() => config("a")?.status?.conditions?.length === 2);
      expect(fieldsOf(await stored(client, "worker"))).toEqual({ ...header, maxPods: 100, podPidsLimit: 0 });
      expect(fieldsOf(await stored(client, "rt"))).toEqual({ ...header, maxPods: 50, enableServer: false });

      await client.delete(kubeletConfigKind, "b");
      await until(() => config("b") === undefined && generated("rt") === undefined);
      await client.delete(kubeletConfigKind, "a");
      await until(() => generated("worker") === undefined && config("a")?.metadata.finalizers?.length === 1);
      expect(config("a")?.metadata.finalizers).toEqual(["example.com/mine"]);
      await client.patch(kubeletConfigKind, "a", { type: "merge", patch: { metadata: { finalizers: [] } } });
    });

    test("that become invalid change nothing, and others still count (machine-config W-3)", async () => {
      const { cluster, config, until } = await watched(start);
      const { client } = cluster;
      await client.create(kubeletConfigKind, kubeletConfig("a", "worker", { maxPods: 100 }));
      await until(() => config("a")?.status?.conditions?.at(-1)?.type === "Success");
      const broken = {
        spec: { kubeletConfig: { maxPods: "many", clusterDNS: ["10.0.0.1"], reservedSystemCPUs: "all" } },
      };
      await client.patch(kubeletConfigKind, "a", { type: "merge", patch: broken });
      const failure = (): string => {
        const { type, message = "" } = config("a")?.status?.conditions?.at(-1) ?? {};
        return type === "Failure" ? message : "";
      };
      // Known once the cache has the MachineConfig of that generation.
      await until(() => failure().includes("nodes of pool worker keep generation 1"));
      for (const part of ["maxPods", "clusterDNS", "reservedSystemCPUs"])
        expect(failure()).toContain(`spec.kubeletConfig.${part}: `);

      const empty = { ...kubeletConfig("everywhere", "", {}), spec: { machineConfigPoolSelector: {} } };
      await client.create(kubeletConfigKind, empty);
      await until(() => config("everywhere")?.status?.conditions?.at(-1)?.type === "Failure");
      await client.create(kubeletConfigKind, kubeletConfig("b", "worker", { podPidsLimit: 9 }));
      await until(() => config("b")?.status?.conditions?.at(-1)?.type === "Success");
      expect(fieldsOf(await stored(client, "worker"))).toEqual({ ...header, maxPods: 100, podPidsLimit: 9 });
    });
  });
