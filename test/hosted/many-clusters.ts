import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Informer } from "../../src/cluster/kube/cache.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Exposition, Metrics } from "../../src/cluster/runtime/metrics/metrics.ts";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { type Profile, profileKind } from "../../src/domain/node-tuning/api.ts";
import { namespaceObject } from "../../src/language/object/confinement.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { managementFoundation } from "../../src/program/cli/install/manifests.ts";
import { Program } from "../../src/program/cli/testing/program.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { poolNamespace } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
/** As many programs as this starts are slow on a small machine. */
export const hour = 3_600_000;
export const nodePoolNames = ["one", "two"] as const;

/** What the management side did: decisions about NodePools, and all its writes. */
export interface Work {
  readonly decisions: number;
  readonly writes: number;
}

interface Cluster {
  readonly client: HttpClient;
  readonly kubeconfig: string;
}

/**
 * A management cluster with many hosted ones. API servers and nodes are programs, so that no cluster waits for the work
 * of another; operators run as pods of the management cluster, and the management side in this process.
 */
export class ManyClusters {
  readonly hosted = new Map<string, { readonly profiles: Informer<Profile>; readonly nodes: number }>();
  readonly #program: Program;
  readonly #dir: string;
  readonly #end = new AbortController();
  readonly #clients: HttpClient[] = [];
  readonly #parts: Promise<void>[] = [];
  #metrics: (Metrics & Exposition) | undefined;
  #management: HttpClient | undefined;
  #writes = 0;

  private constructor(program: Program, dir: string) {
    this.#program = program;
    this.#dir = dir;
  }

  /** Ends with the test. */
  static async start(): Promise<ManyClusters> {
    const world = new ManyClusters(await Program.build(), await mkdtemp(join(tmpdir(), "attune-hosted-")));
    onTestFinished(() => world.#stop());
    const group = { name: "management-{}", count: 2, cpus: 16, memory: "64Gi", labels: {} };
    const { client } = await world.#cluster("management", [group]);
    await applyManifests(client, [...managementFoundation(), namespaceObject(poolNamespace, "restricted")]);
    world.#management = client;
    world.#metrics = await createPromMetrics();
    const counted = new HttpClient(client.connection, {
      onRequest: ({ method }) => void (world.#writes += method === "GET" ? 0 : 1),
    });
    world.#clients.push(counted);
    const { signal } = world.#end;
    const common = { signal, metrics: world.#metrics, image: "attune:test", leaderElection: false };
    world.#parts.push(runManagement({ ...common, client: counted }));
    return world;
  }

  /** An API server with virtual nodes. */
  async #cluster(name: string, groups: readonly object[]): Promise<Cluster> {
    const dir = join(this.#dir, name);
    await this.#program.start(["apiserver", "--dir", dir]).printed(/^ready /m);
    const kubeconfig = join(dir, "kubeconfig");
    const topology = join(this.#dir, `${name}.json`);
    await writeFile(topology, JSON.stringify({ groups }));
    this.#program.start(["lab", "--kubeconfig", kubeconfig, "--topology", topology]);
    const client = new HttpClient(await loadConnection({ kubeconfig }));
    this.#clients.push(client);
    return { client, kubeconfig };
  }

  get management(): HttpClient {
    if (!this.#management) throw new Error("the management cluster has not been started");
    return this.#management;
  }

  /** A hosted cluster with two NodePools of so many nodes each, tuned by one Tuned each. */
  async addCluster(name: string, nodes: number, swappiness: string): Promise<void> {
    const groups = nodePoolNames.map((pool) => ({
      name: `${pool}-{}`,
      count: nodes,
      cpus: 4,
      memory: "16Gi",
      labels: { [keys.nodePool]: `${name}-${pool}` },
    }));
    const { client, kubeconfig } = await this.#cluster(name, groups);
    const data = { kubeconfig: (await readFile(kubeconfig)).toString("base64") };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name, ...users }, data };
    await this.management.create(kinds.secret, secret, users);
    const spec = { kubeconfig: { name }, release: { image: "release:4.22.0" } };
    const hostedCluster = { apiVersion, kind: "HostedCluster", metadata: { name, ...users }, spec };
    await this.management.create(hostedClusterKind, hostedCluster, users);
    for (const pool of nodePoolNames) {
      await this.tune(name, pool, swappiness);
      const metadata = { name: `${name}-${pool}`, ...users };
      const tuning = { tuningConfig: [{ name: metadata.name }], management: { upgradeType: "InPlace" as const } };
      const nodePool = {
        apiVersion,
        kind: "NodePool",
        metadata,
        spec: { clusterName: name, replicas: nodes, ...tuning },
      };
      await this.management.create(nodePoolKind, nodePool, users);
    }
    await eventually(`hosted cluster ${name} has Profiles`, async () => client.list(profileKind), hour);
    const profiles = createInformer(client, profileKind, {});
    this.#parts.push(profiles.run(this.#end.signal));
    this.hosted.set(name, { profiles, nodes: nodes * nodePoolNames.length });
  }

  /** What the Tuned of a NodePool sets. */
  async tune(cluster: string, pool: string, swappiness: string): Promise<void> {
    const name = `${cluster}-${pool}`;
    const profile = `[main]\ninclude=openshift-node\n[sysctl]\nvm.swappiness=${swappiness}\n`;
    const tuned = {
      apiVersion: "tuned.openshift.io/v1",
      kind: "Tuned",
      metadata: { name: "memory" },
      spec: { profile: [{ name: "memory", data: profile }], recommend: [{ profile: "memory", priority: 20 }] },
    };
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ...users },
      data: { tuning: JSON.stringify(tuned) },
    };
    const patch = { type: "apply", object, force: true } as const;
    await this.management.patch(kinds.configMap, name, patch, { ...users, fieldManager: "test" });
  }

  /** How many nodes report that their kernel has this value, of a NodePool or of all. */
  having(value: string, nodePool?: { readonly cluster: string; readonly pool: string }): number {
    const clusters = nodePool ? [this.hosted.get(nodePool.cluster)] : [...this.hosted.values()];
    return clusters
      .flatMap((cluster) => cluster?.profiles.list() ?? [])
      .filter(({ metadata }) => !nodePool || metadata.name?.startsWith(`${nodePool.pool}-`))
      .filter(({ status }) =>
        status?.settings?.some(
          ({ option, state, value: found }) => option === "vm.swappiness" && state === "AsWanted" && found === value,
        ),
      ).length;
  }

  /**
   * Versions of what either cluster has about all NodePools but one: a change of that one must leave them as they are.
   * Statuses and reports are among them.
   */
  async versionsBeside({ cluster, pool }: { readonly cluster: string; readonly pool: string }): Promise<string[]> {
    const name = `${cluster}-${pool}`;
    const [nodePools, configMaps] = await Promise.all([
      this.management.list(nodePoolKind),
      this.management.list(kinds.configMap),
    ]);
    const ofOthers = [...nodePools.items, ...configMaps.items].filter(
      ({ metadata }) => metadata.name !== name && metadata.labels?.[keys.nodePool] !== name,
    );
    const profiles = [...this.hosted].flatMap(([of, { profiles: found }]) =>
      found.list().filter(({ metadata }) => of !== cluster || !metadata.name?.startsWith(`${pool}-`)),
    );
    return [...ofOthers, ...profiles].map(
      ({ kind, metadata: { namespace, name: of, uid, resourceVersion } }) =>
        `${kind} ${namespace}/${of} ${uid} ${resourceVersion}`,
    );
  }

  async work(): Promise<Work> {
    const text = (await this.#metrics?.text()) ?? "";
    const rows = text.matchAll(/^controller_runtime_reconcile_total\{([^}]*)\} (\d+)$/gm);
    const decisions = [...rows]
      .filter(([, labels]) => labels?.includes('controller="node-pool"'))
      .reduce((sum, [, , count]) => sum + Number(count), 0);
    return { decisions, writes: this.#writes };
  }

  /** What is reported about nodes comes after them: until the management side has had nothing to do for a while. */
  async settled(): Promise<void> {
    let [last, same] = ["", 0];
    await eventually(
      "the management side has nothing to do",
      async () => {
        const now = JSON.stringify(await this.work());
        same = now === last ? same + 1 : 0;
        last = now;
        return same === 100;
      },
      hour,
    );
  }

  async #stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#parts);
    for (const client of this.#clients) client.close();
    await this.#program.remove();
    await rm(this.#dir, { recursive: true, force: true });
  }
}
