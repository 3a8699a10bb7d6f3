import { spawn, spawnSync } from "node:child_process";
import { apiVersion, profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { performanceProfileCrds } from "../../src/domain/performance-profile/crds.ts";
import type { CpuTopology } from "../../src/language/cpu/cpu-topology.ts";
import { formatTopology } from "../../src/language/cpu/topology-text.ts";
import { attuneServer } from "../harness/servers.ts";
import { nodesPath, profilesPath, TuningCluster, type Write } from "../node-tuning/tuning-cluster.ts";

const at = "2026-01-01T00:00:00Z";
const group = "machineconfiguration.openshift.io";
const poolsPath = `/apis/${machineConfigPoolKind.apiVersion}/machineconfigpools`;
const pools = ["worker", "worker-cnf", "infra"];
/** As large as servers get: two sockets of eight memory nodes, each with 32 cores of two threads. */
export const largestMachine = machine({ sockets: 2, numaNodes: 8, cores: 32 });
export const largeNode = "large-0";
const usualMachine = machine({ sockets: 2, numaNodes: 1, cores: 32 });

/** A server with nodes that report, and `attune console` for it. */
export class FleetCluster {
  readonly size: number;
  readonly #link: () => string;
  readonly #cluster: TuningCluster;
  readonly #close: () => Promise<void>;

  private constructor(size: number, cluster: TuningCluster, link: () => string, close: () => Promise<void>) {
    this.size = size;
    this.#link = link;
    this.#cluster = cluster;
    this.#close = close;
  }

  static async open(size: number): Promise<FleetCluster> {
    const server = await attuneServer();
    const cluster = await TuningCluster.open(server);
    for (const crd of [...machineConfigCrds, ...performanceProfileCrds])
      await cluster.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd, 201);
    for (const name of [...pools, "large"]) await cluster.send("POST", poolsPath, pool(name), 201);
    const names = Array.from({ length: size - 1 }, (_, i) => `node-${i}`);
    const creates = (path: string, of: (name: string, at: number) => object): Write[] =>
      [...names, largeNode].map((name, i) => ({ method: "POST", path, body: JSON.stringify(of(name, i)) }));
    await cluster.sendAll(creates(nodesPath, node), 201);
    await cluster.sendAll(creates(profilesPath, profile), 201);
    await cluster.sendAll(
      [...names, largeNode].map((name) => report(name, 0)),
      200,
    );
    const console = await startConsole(cluster.kubeconfig);
    return new FleetCluster(size, cluster, console.link, async () => {
      await console.stop();
      await cluster.close();
      await server.close();
    });
  }

  /** A new address, which signs in once. */
  address(): string {
    return this.#link();
  }

  /** Another process changes so many settings of the first nodes. */
  async drift(nodes: number, count: number): Promise<void> {
    const writes = Array.from({ length: nodes }, (_, i) => report(`node-${i}`, count));
    await this.#cluster.sendAll(writes, 200);
  }

  close(): Promise<void> {
    return this.#close();
  }
}

function startConsole(kubeconfig: string): Promise<{ link: () => string; stop: () => Promise<void> }> {
  const dir = `${kubeconfig}-console`;
  const child = spawn(process.execPath, ["bin/attune", "console", "--kubeconfig", kubeconfig, "--dir", dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const link = (): string => {
    const command = ["bin/attune", "console", "--url", "--dir", dir];
    return spawnSync(process.execPath, command, { encoding: "utf8" }).stdout.trim();
  };
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    process.off("exit", kill);
  };
  return new Promise((resolve, reject) => {
    let output = "";
    child.once("exit", (code) => reject(new Error(`start attune console: it ended with ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (/^console\s+http/m.test(output)) resolve({ link, stop });
    });
  });
}

function pool(name: string): object {
  const role = `${group}/role`;
  return {
    apiVersion: machineConfigPoolKind.apiVersion,
    kind: machineConfigPoolKind.kind,
    metadata: { name, labels: { [role]: name } },
    spec: {
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      machineConfigSelector: { matchLabels: { [role]: name } },
    },
  };
}

function node(name: string, i: number): object {
  const role = name === largeNode ? "large" : pools[i % 10 === 0 ? 1 : i % 25 === 1 ? 2 : 0];
  const labels = {
    [`node-role.kubernetes.io/${role}`]: "",
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
  };
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "", lastTransitionTime: at };
  const capacity = { cpu: "128", memory: "268435456Ki" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    status: { conditions: [ready], capacity, nodeInfo: { architecture: "amd64" } },
  };
}

function profile(name: string): object {
  return {
    apiVersion,
    kind: profileKind.kind,
    metadata: { name, namespace: tuningNamespace },
    spec: { config: { tunedProfile: "openshift-node" } },
  };
}

function report(name: string, count: number): Write {
  const condition = (type: string, is: boolean): object => ({
    type,
    status: is ? "True" : "False",
    reason: "AsExpected",
    message: "",
    lastTransitionTime: at,
  });
  const exceptions = Array.from({ length: count }, (_, i) => ({
    unit: "sysctl",
    option: `vm.option-${i}`,
    state: "Changed",
    wanted: "1",
    found: "2",
    since: at,
  }));
  const status = {
    tunedProfile: "openshift-node",
    observedGeneration: 1,
    conditions: [condition("Applied", true), condition("Degraded", false), condition("Drifted", count > 0)],
    exceptions,
    hardware: formatTopology(name === largeNode ? largestMachine : usualMachine),
  };
  return {
    method: "PATCH",
    path: `${profilesPath}/${name}/status`,
    body: JSON.stringify({ status }),
    contentType: "application/merge-patch+json",
  };
}

interface Shape {
  readonly sockets: number;
  /** Of each socket. */
  readonly numaNodes: number;
  /** Of each memory node, with two threads. */
  readonly cores: number;
}

function machine({ sockets, numaNodes, cores }: Shape): CpuTopology {
  const nodes = sockets * numaNodes;
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
  return {
    numaNodes: numbers(nodes).map((id) => ({
      id,
      memoryKiB: 2 ** 24,
      cores: numbers(cores).map((core) => ({
        id: core,
        socket: Math.floor(id / numaNodes),
        cpus: [id * cores + core, (nodes + id) * cores + core],
      })),
    })),
    offline: [],
  };
}
