import { type Clock, pause } from "../../../../cluster/runtime/clock.ts";
import type { Log } from "../../../../cluster/runtime/log/log.ts";
import type { PodEvents } from "../pod/pod-events.ts";
import type { PodKeeper } from "../pod/pod-keeper.ts";
import type { StaticPodKeeper } from "../static-pod/static-pod-keeper.ts";
import { MachineOffError } from "../../machine.ts";
import { startAtBoot } from "../../systemd/run-units.ts";
import { startKubelet } from "./kubelet-settings.ts";
import type { NodeKeeper } from "./node-keeper.ts";
import type { NodeRunner, VirtualNode } from "./virtual-node.ts";

export interface NodePowerOptions {
  readonly nodeKeeper: NodeKeeper;
  readonly podKeeper: PodKeeper;
  readonly staticPods: StaticPodKeeper;
  readonly events: PodEvents;
  /** Runs `attune` with these arguments on the machine, outside of any pod. Returns why it failed; throws where it restarts the machine. */
  readonly runAttune?: ((node: VirtualNode, args: readonly string[]) => Promise<string | undefined>) | undefined;
  /** How long a machine is off between two boots. */
  readonly bootMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const kubeletUnit = "kubelet.service";
const crioUnit = "crio.service";

/** Restarts machines and their kubelets. */
export class NodePower implements NodeRunner {
  readonly #options: NodePowerOptions;
  readonly #goingDown = new Set<string>();

  constructor(options: NodePowerOptions) {
    this.#options = options;
  }

  /** A shutdown in order: the Node becomes NotReady, pods are terminated, and the machine starts again. */
  rebootRequested(node: VirtualNode): void {
    if (this.#goingDown.has(node.name)) return;
    this.#goingDown.add(node.name);
    void this.#reboot(node).catch((error: unknown) => {
      this.#goingDown.delete(node.name);
      this.#options.log.error({ error, node: node.name }, "restart a virtual machine");
    });
  }

  async #reboot(node: VirtualNode): Promise<void> {
    const { nodeKeeper, podKeeper } = this.#options;
    await nodeKeeper.announceShutdown(node.name);
    await podKeeper.shutDown(node.name);
    node.host.stop("shutdown");
    nodeKeeper.halt(node.name, "off");
    podKeeper.kill(node.name);
    // A unit may ask for another restart while it boots.
    this.#goingDown.delete(node.name);
    await this.powerOn(node);
  }

  /** Starts what is enabled on a machine that was just installed: the kubelet only if what it requires succeeds. */
  async firstStart(node: VirtualNode): Promise<void> {
    if (await this.#endsEarly(startAtBoot(node.host))) return;
    await this.#startIfEnabled(node);
  }

  /** Takes the machine away for good: its pods end, and its Node is deleted. */
  async takeAway(node: VirtualNode): Promise<void> {
    const { nodeKeeper, podKeeper } = this.#options;
    await podKeeper.shutDown(node.name);
    node.host.stop("shutdown");
    this.poweredOff(node);
    await nodeKeeper.drop(node.name);
    podKeeper.drop(node.name);
  }

  /** Its power was cut: the Node stays as it is until a node controller misses its heartbeats. */
  poweredOff(node: VirtualNode): void {
    this.#options.nodeKeeper.halt(node.name, "off");
    this.#options.podKeeper.kill(node.name);
  }

  async powerOn(node: VirtualNode): Promise<void> {
    const { bootMs, clock, events } = this.#options;
    if (bootMs > 0) await pause(clock, bootMs);
    node.bootedAt = clock.now();
    if (await this.#endsEarly(node.host.boot())) return;
    const message = `Node ${node.name} has been rebooted, boot id: ${node.bootId}`;
    const object = { apiVersion: "v1", kind: "Node", metadata: { name: node.name, uid: node.name } };
    events.warn(object, node.name, "Rebooted", message);
    await this.#startIfEnabled(node);
  }

  async #startIfEnabled(node: VirtualNode): Promise<void> {
    const isEnabled = await node.host.run(["systemctl", "is-active", kubeletUnit]);
    if (isEnabled.type !== "exited" || isEnabled.code !== 0) return this.#options.nodeKeeper.halt(node.name, "stopped");
    await this.#startKubelet(node);
  }

  /** Whether a unit restarts the machine before all are started. */
  async #endsEarly(starting: Promise<void>): Promise<boolean> {
    try {
      await starting;
      return false;
    } catch (error) {
      if (error instanceof MachineOffError) return true;
      throw error;
    }
  }

  async unitStarted(node: VirtualNode, name: string): Promise<string | undefined> {
    if (name === crioUnit) {
      const crio = await node.restartCrio();
      return crio?.type === "failed" ? crio.message : undefined;
    }
    // At boot the kubelet starts last.
    if (name !== kubeletUnit || this.#options.nodeKeeper.stateOf(node.name) === "off") return undefined;
    return this.#startKubelet(node);
  }

  unitStopped(node: VirtualNode, name: string): void {
    if (name === kubeletUnit) this.#options.nodeKeeper.halt(node.name, "stopped");
  }

  async runAttune(node: VirtualNode, args: readonly string[]): Promise<string | undefined> {
    return this.#options.runAttune?.(node, args);
  }

  /** Resolves with why it did not start. */
  async #startKubelet(node: VirtualNode): Promise<string | undefined> {
    const { nodeKeeper, podKeeper, staticPods, log } = this.#options;
    const { name, host } = node;
    const crio = await node.crio();
    const start = crio?.type === "failed" ? crio : await startKubelet(host, node.options.topology);
    if (start.type === "failed") {
      log.warn({ node: name, why: start.message }, "the kubelet of a virtual node does not start");
      nodeKeeper.halt(name, "stopped");
      return start.message;
    }
    node.kubelet = start.settings;
    nodeKeeper.resume(name);
    podKeeper.resync(name);
    staticPods.check(name);
    return undefined;
  }
}
