import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import { Api } from "./api.ts";
import { controlPlane, type ControlPlane } from "./control-plane.ts";
import { Credentials } from "./credentials.ts";
import { eventually } from "./eventually.ts";
import { Machine, nodeName } from "./machine.ts";
import { nodePrograms, type NodePrograms, pauseImage } from "./node-programs.ts";
import { Service } from "./service.ts";
import { writeSmallImage } from "./small-image.ts";

const kubectl = process.env.ATTUNE_KUBECTL ?? "kubectl";

/** A cluster of one real node. */
export class RealCluster {
  readonly machine: Machine;
  readonly api: Api;
  readonly kubeconfig: string;
  readonly services: ControlPlane & NodePrograms;
  readonly #proxy: Service;

  private constructor(machine: Machine, assets: string, credentials: Credentials) {
    this.machine = machine;
    this.kubeconfig = credentials.file("admin.kubeconfig");
    this.services = { ...controlPlane(machine, assets, credentials), ...nodePrograms(machine, assets, credentials) };
    const socket = join(machine.dir, "api.sock");
    const words = [kubectl, "proxy", `--kubeconfig=${this.kubeconfig}`, `--unix-socket=${socket}`];
    this.#proxy = new Service(machine, "kubectl-proxy", words);
    this.api = new Api(socket);
  }

  /** Starts a machine with the programs of the folder `assets`, and waits until its node is ready. */
  static async start(assets: string): Promise<RealCluster> {
    const machine = await Machine.start();
    try {
      const cluster = new RealCluster(machine, assets, await Credentials.create(machine.dir));
      await cluster.#start();
      return cluster;
    } catch (error) {
      await machine.stop();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { etcd, apiserver, controllerManager, scheduler, containerd, kubelet, proxy } = this.services;
    try {
      await Promise.all([etcd, apiserver, containerd, this.#proxy].map((service) => service.start()));
      const image = join(this.machine.dir, "pause.tar");
      await writeSmallImage(image, pauseImage);
      await eventually(60, "containerd answers", () => this.importImage(image));
      await eventually(120, "the API server is ready", () => this.api.isReady());
      await Promise.all([controllerManager, scheduler, kubelet, proxy].map((service) => service.start()));
      await eventually(120, "the node is ready", () => this.isNodeReady());
    } catch (error) {
      for (const service of this.#all) service.stop();
      throw new Error(`start the cluster\n${this.tails()}`, { cause: error });
    }
  }

  tails(): string {
    return this.#all.map((service) => service.tail()).join("\n");
  }

  /** For a story that failed: the last lines of every program, and the pods. */
  report(): string {
    try {
      return `${this.tails()}\n${this.kubectl(["get", "pods,events", "--all-namespaces"])}`;
    } catch (error) {
      return `${this.tails()}\n${String(error)}`;
    }
  }

  /** From an OCI archive. Returns true, to be waited for. */
  importImage(path: string): true {
    this.machine.run("ctr", "--namespace=k8s.io", "images", "import", "--no-unpack=false", path);
    return true;
  }

  async isNodeReady(): Promise<boolean> {
    const node = await this.api.get<KubeObject & { status: { conditions?: { type: string; status: string }[] } }>(
      `/api/v1/nodes/${nodeName}`,
    );
    return node?.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  }

  /** Runs kubectl and returns its output. `input`: what it reads with `-f -`. */
  kubectl(words: readonly string[], input: string | object = ""): string {
    const [program = "", ...enter] = this.machine.enter;
    const { status, stdout, stderr } = spawnSync(
      program,
      [
        ...enter,
        kubectl,
        `--kubeconfig=${this.kubeconfig}`,
        `--cache-dir=${join(this.machine.dir, "cache")}`,
        ...words,
      ],
      { encoding: "utf8", input: typeof input === "string" ? input : JSON.stringify(input) },
    );
    if (status !== 0) throw new Error(`kubectl ${words.join(" ")}: ${stderr}${stdout}`);
    return stdout;
  }

  apply(object: object): void {
    this.kubectl(["apply", "--server-side", "--filename", "-"], object);
  }

  /** A value of the node's kernel, by the name of its sysctl. */
  sysctl(name: string): string {
    const path = `/proc/sys/${name.replaceAll(".", "/")}`;
    return name.startsWith("net.") ? this.machine.run("cat", path) : readFileSync(path, "utf8").trim();
  }

  get #all(): Service[] {
    return [...Object.values(this.services), this.#proxy] as Service[];
  }

  async stop(): Promise<void> {
    for (const service of this.#all) service.stop();
    await this.machine.stop();
  }
}
