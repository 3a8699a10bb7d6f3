import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../src/cluster/kube/client.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { type Clock, systemClock } from "../../src/cluster/runtime/clock.ts";
import { impatientClock } from "../../src/cluster/runtime/testing/impatient-clock.ts";
import { scyllaCrds } from "../../src/domain/scylla/config/crds.ts";
import { readRelease, type Release } from "../../src/domain/scylla/gate/release.ts";
import { scyllaNodeConfigKind } from "../../src/domain/scylla/api.ts";
import { agentServiceAccount, nodeLabel, releaseName, tuningNamespace } from "../../src/domain/scylla/names.ts";
import { scyllaAgentGrants } from "../../src/domain/scylla/on-node/agent-grants.ts";
import { unknownIn } from "../../src/domain/scylla/on-node/node-report.ts";
import type { TuningJob } from "../../src/domain/scylla/on-node/job-progress.ts";
import { readRecord } from "../../src/domain/scylla/on-node/tuning.ts";
import { type ApiServer, startServer } from "../../src/embedded/apiserver/server.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import { rbacObjects } from "../../src/language/object/grant.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { MemoryBase } from "../../src/node/host/memory-base.ts";
import { MemoryHost } from "../../src/node/host/memory-host.ts";
import type { ContainerRuntime, Inspection } from "../../src/node/scylla/container-runtime.ts";
import { runScyllaAgent } from "../../src/program/scylla-agent/scylla-agent.ts";
import { until } from "../node-tuning/eventually.ts";

export const node = "scylla-0";
export const namespace = "db";
const bootIdPath = "/proc/sys/kernel/random/boot_id";
const card = "/sys/devices/pci0000:00/0000:00:03.0/net/eth0";
const diskController = "/sys/devices/pci0000:00/0000:00:04.0";
const disk = `${diskController}/nvme/nvme0/nvme0n1`;

/** A node with eight CPUs, a card and a disk, an API server, and an agent with its own rights alone. */
export class ScyllaNode implements ContainerRuntime {
  readonly host = new MemoryHost(
    new MemoryBase(
      [
        [bootIdPath, "boot-1\n"],
        ["/sys/devices/system/cpu/online", "0-7\n"],
        ["/proc/1/mountinfo", "22 1 259:1 / / rw - xfs /dev/nvme0n1 rw\n"],
        [
          "/proc/1/net/route",
          "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\neth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\n",
        ],
        [`${card}/ifindex`, "2\n"],
        [`${disk}/dev`, "259:1\n"],
        [`${diskController}/msi_irqs/61`, "msix\n"],
        ["/etc/default/irqbalance", 'OPTIONS=""\n'],
      ],
      [],
      [
        ["/sys/class/net/eth0", card],
        ["/sys/dev/block/259:1", disk],
        ["/sys/class/block/nvme0n1", disk],
      ],
    ),
  );
  /** What the agent asked the API server to change, in order. */
  readonly writes: string[] = [];
  /** Names of objects that agents read one by one. */
  readonly reads: string[] = [];
  /** Ids of containers that run, and that the runtime does not know. */
  readonly hidden = new Set<string>();
  admin!: HttpClient;
  /** Of the wall clock, in front of the real one. */
  aheadMs = 0;
  readonly #containers = new Map<string, { cpus: string; podUid: string }>();
  #server!: ApiServer;
  #dir!: string;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #broken: string | undefined;
  #restarts = 0;

  static async start(): Promise<ScyllaNode> {
    const node = new ScyllaNode();
    node.#dir = await mkdtemp(join(tmpdir(), "attune-scylla-agent-"));
    node.#server = await startServer({ dir: node.#dir });
    node.admin = new HttpClient(await loadConnection({ kubeconfig: node.#server.kubeconfig }));
    await node.#install();
    return node;
  }

  async close(): Promise<void> {
    await this.stopAgent();
    this.admin.close();
    await this.#server.close();
    await rm(this.#dir, { recursive: true, force: true });
  }

  async restartServer(): Promise<void> {
    const port = Number(new URL(this.#server.url).port);
    await this.#server.close();
    this.#server = await startServer({ dir: this.#dir, port });
  }

  /** `diesAt`: it ends at this write, before or after the API server has done it. */
  async startAgent(dies?: { readonly at: number; readonly after: boolean }): Promise<void> {
    const connection = await loadConnection({ kubeconfig: this.#server.kubeconfig });
    const token = await this.#token();
    const http = new HttpClient({ ...connection, credentials: staticCredentials(bearer(token)) });
    const stop = new AbortController();
    this.#stop = stop;
    let count = 0;
    const client = counting(
      http,
      async (what, write) => {
        stop.signal.throwIfAborted();
        const isLast = dies?.at === count++;
        if (isLast && !dies.after) stop.abort(new Error("killed"));
        stop.signal.throwIfAborted();
        const answer = await write();
        this.writes.push(what);
        if (isLast) stop.abort(new Error("killed"));
        stop.signal.throwIfAborted();
        return answer;
      },
      (name) => this.reads.push(name),
    );
    this.#running = runScyllaAgent({
      client,
      node,
      config: "cluster",
      host: this.host,
      runtime: this,
      signal: stop.signal,
      image: "attune:test",
      utilsImage: "scylladb/scylla:2025.1.5",
      cloud: async () => "other",
      pollIntervalMs: 20,
      clock: this.#clock(),
    }).finally(() => http.close());
  }

  get agentEnded(): boolean {
    return this.#stop.signal.aborted;
  }

  async stopAgent(): Promise<void> {
    this.#stop.abort(new Error("stopped"));
    await this.#running.catch(() => {});
  }

  inspect(id: string): Promise<Inspection> {
    if (this.#broken !== undefined) return Promise.resolve({ type: "failed", message: this.#broken });
    const found = this.#containers.get(id);
    if (!found || this.hidden.has(id)) return Promise.resolve({ type: "missing" });
    const mounts = [{ containerPath: "/var/lib/scylla", hostPath: `/mnt/${found.podUid}` }];
    return Promise.resolve({ type: "found", container: { ...found, mounts } });
  }

  /** What the runtime answers from now on instead. */
  breakRuntime(message: string | undefined): void {
    this.#broken = message;
  }

  /** A pod whose database has started, and waits for its release. */
  async land(name: string, cpus: string): Promise<KubeObject> {
    const pod = await this.admin.create<KubeObject>(
      kinds.pod,
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace, labels: { "scylla-operator.scylladb.com/pod-type": "scylladb-node" } },
        spec: {
          nodeName: node,
          containers: [{ name: "scylla", image: "scylla", resources: { limits: { cpu: "8", memory: "1Gi" } } }],
        },
      },
      { namespace },
    );
    await this.restartContainer(pod, cpus);
    return pod;
  }

  /** Its container ends, if it runs, and a new one starts. Returns the id of it. */
  async restartContainer(pod: KubeObject, cpus: string): Promise<string> {
    const { name = "", uid = "" } = pod.metadata;
    const id = `c${++this.#restarts}`;
    for (const [old, { podUid }] of this.#containers) if (podUid === uid) this.#containers.delete(old);
    await this.#setContainer(name, { waiting: { reason: "CrashLoopBackOff" } });
    this.#containers.set(id, { cpus, podUid: uid });
    await this.#setContainer(name, { running: { startedAt: "2026-01-01T00:00:00Z" } }, `containerd://${id}`);
    return `containerd://${id}`;
  }

  async leave(name: string): Promise<void> {
    await this.admin.delete(kinds.pod, name, { namespace, gracePeriodSeconds: 0 });
  }

  async jobs(): Promise<TuningJob[]> {
    const { items } = await this.admin.list(kinds.job, {
      namespace: tuningNamespace,
      labelSelector: `${nodeLabel}=${node}`,
    });
    return items.toSorted((a, b) => (readRecord(a)?.sequence ?? 0) - (readRecord(b)?.sequence ?? 0));
  }

  /** The Job that runs now. */
  async job(): Promise<TuningJob> {
    let found: TuningJob | undefined;
    await until(async () => {
      found = (await this.jobs()).find((job) => !job.status?.conditions && !job.metadata.deletionTimestamp);
      return found !== undefined;
    });
    return found!;
  }

  async complete(job: TuningJob): Promise<void> {
    const at = "2026-01-01T00:00:00Z";
    await this.#endJob(job, {
      succeeded: 1,
      startTime: at,
      completionTime: at,
      conditions: ["SuccessCriteriaMet", "Complete"].map((type) => ({ type, status: "True", lastTransitionTime: at })),
    });
  }

  async fail(job: TuningJob): Promise<void> {
    const at = new Date(systemClock.now() + this.aheadMs).toISOString().replace(/\.\d+/, "");
    const reason = { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
    const conditions = ["FailureTarget", "Failed"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: at,
      ...reason,
    }));
    await this.#endJob(job, { failed: 1, startTime: at, conditions });
  }

  /** A pod of a Job, whose program has ended. */
  async jobPod(job: TuningJob, state: object): Promise<void> {
    const name = `${job.metadata.name}-pod`;
    const { template } = job["spec"] as { template: { metadata: object; spec: object } };
    await this.admin.create<KubeObject>(
      kinds.pod,
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          ...template.metadata,
          name,
          namespace: tuningNamespace,
          ownerReferences: [
            { apiVersion: "batch/v1", kind: "Job", name: job.metadata.name ?? "", uid: job.metadata.uid ?? "" },
          ],
        },
        spec: template.spec,
      },
      { namespace: tuningNamespace },
    );
    const status = {
      phase: "Failed",
      containerStatuses: [{ name: "perftune", image: "x", imageID: "", ready: false, restartCount: 0, state }],
    };
    await this.admin.patch(
      kinds.pod,
      name,
      { type: "merge", patch: { status } },
      { namespace: tuningNamespace, subresource: "status" },
    );
  }

  async release(pod: KubeObject): Promise<Release | undefined> {
    try {
      return readRelease(await this.admin.get(kinds.configMap, releaseName(pod.metadata.uid ?? ""), { namespace }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async untilReleased(pod: KubeObject, containerId: string): Promise<Release> {
    let found: Release | undefined;
    await until(async () => (found = await this.release(pod))?.containerId === containerId);
    return found!;
  }

  /** Databases whose CPUs are not known, as the operator is told. */
  async reported(): Promise<string> {
    const { items } = await this.admin.list(kinds.configMap, {
      namespace: tuningNamespace,
      labelSelector: `${nodeLabel}=${node}`,
    });
    return unknownIn(items[0]);
  }

  /** `Warning TuningFailed` */
  async events(of: string): Promise<string[]> {
    const { items } = await this.admin.list(kinds.event);
    return items
      .filter(({ involvedObject }) => (involvedObject as { name?: string }).name === of)
      .map(({ type, reason }) => `${type} ${reason}`);
  }

  async reboot(): Promise<void> {
    await this.host.write("/proc/sys/kernel/random/boot_id", "boot-2\n");
  }

  async #setContainer(name: string, state: object, containerID?: string): Promise<void> {
    const status = {
      phase: "Running",
      containerStatuses: [
        {
          name: "scylla",
          image: "scylla",
          imageID: "",
          ready: false,
          restartCount: 0,
          state,
          ...(containerID ? { containerID } : {}),
        },
      ],
    };
    const options = { namespace, subresource: "status" };
    await this.admin.patch(kinds.pod, name, { type: "strategic", patch: { status } }, options);
  }

  async #endJob({ metadata }: TuningJob, status: object): Promise<void> {
    const options = { namespace: tuningNamespace, subresource: "status" };
    await this.admin.patch(kinds.job, metadata.name ?? "", { type: "merge", patch: { status } }, options);
  }

  #clock(): Clock {
    return { ...impatientClock(), now: () => systemClock.now() + this.aheadMs };
  }

  async #token(): Promise<string> {
    const path = `/api/v1/namespaces/${tuningNamespace}/serviceaccounts/${agentServiceAccount}/token`;
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const { status } = (await this.admin.raw("POST", path, body)) as { status: { token: string } };
    return status.token;
  }

  async #install(): Promise<void> {
    const { admin } = this;
    for (const crd of scyllaCrds) await admin.create<KubeObject>(kinds.customResourceDefinition, crd);
    for (const name of [tuningNamespace, namespace])
      await admin.create<KubeObject>(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const account = { namespace: tuningNamespace, name: agentServiceAccount };
    for (const object of rbacObjects("attune:scylla-agent", account, scyllaAgentGrants)) await this.#create(object);
    await this.#create({ apiVersion: "v1", kind: "Node", metadata: { name: node, labels: { pool: "scylla" } } });
    await until(async () => {
      const crd = await admin.get(kinds.customResourceDefinition, "scyllanodeconfigs.scylla.scylladb.com");
      return isTrue(crd.status?.conditions, "Established");
    });
    await admin.create(scyllaNodeConfigKind, {
      apiVersion: scyllaNodeConfigKind.apiVersion,
      kind: scyllaNodeConfigKind.kind,
      metadata: { name: "cluster" },
      spec: { placement: { nodeSelector: { pool: "scylla" } } },
    });
  }

  async #create(object: KubeObject): Promise<void> {
    const of = Object.values(kinds).find(({ kind }) => kind === object.kind) as KindRef;
    await this.admin.create(of, object, { namespace: object.metadata.namespace });
  }
}

type Around = <T>(what: string, write: () => Promise<T>) => Promise<T>;

/** A client whose writes go through `around`. Events are no writes: they are not waited for. */
function counting(client: Client, around: Around, onRead: (name: string) => void): Client {
  const isEvent = (of: KindRef): boolean => of.kind === "Event";
  return {
    get: (...args) => {
      onRead(args[1]);
      return client.get(...args);
    },
    list: (...args) => client.list(...args),
    watch: (...args) => client.watch(...args),
    raw: (...args) => client.raw(...args),
    create: (of, object, options) =>
      isEvent(of)
        ? client.create(of, object, options)
        : around(`create ${of.kind}`, () => client.create(of, object, options)),
    update: (of, object, options) => around(`update ${of.kind}`, () => client.update(of, object, options)),
    patch: (of, name, patch, options) =>
      isEvent(of)
        ? client.patch(of, name, patch, options)
        : around(`patch ${of.kind}`, () => client.patch(of, name, patch, options)),
    delete: (of, name, options) => around(`delete ${of.kind}`, () => client.delete(of, name, options)),
  };
}
