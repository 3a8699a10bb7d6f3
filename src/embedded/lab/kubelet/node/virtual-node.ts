import { randomUUID } from "node:crypto";
import type { Taint } from "kubernetes-types/core/v1.js";
import { type Machine, machine, type Surroundings } from "../../machine.ts";
import type { MachineBase } from "../../machine-base.ts";
import type { Topology } from "../../topology.ts";
import { type CrioStart, startCrio } from "../../crio/crio-config.ts";
import type { RunningContainer } from "../container/program.ts";
import { ExclusiveCpus } from "./exclusive-cpus.ts";
import type { KubeletSettings } from "./kubelet-settings.ts";

export interface VirtualNodeOptions {
  readonly name: string;
  readonly topology: Topology;
  /** The files of a machine of this kind at boot; all of them share it. */
  readonly base: MachineBase;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Capacity besides cpu, memory and pods: huge pages, extended resources. */
  readonly resources?: Readonly<Record<string, string>>;
}

/** The process that runs the kubelets of virtual nodes. */
export interface NodeRunner {
  rebootRequested(node: VirtualNode): void;
  unitStarted(node: VirtualNode, name: string): Promise<string | undefined>;
  unitStopped(node: VirtualNode, name: string): void;
  runAttune(node: VirtualNode, args: readonly string[]): Promise<string | undefined>;
  poweredOff(node: VirtualNode): void;
  powerOn(node: VirtualNode): Promise<void>;
}

/** A virtual machine and the options of its Node. */
export class VirtualNode implements Surroundings {
  readonly name: string;
  readonly options: VirtualNodeOptions;
  readonly #firstBootId = randomUUID();
  #host: Machine | undefined;
  #runner: NodeRunner | undefined;
  /** What its kubelet read when it last started; undefined until the machine boots again or the kubelet is restarted. */
  kubelet: KubeletSettings | undefined;
  #crio: CrioStart | undefined;
  /** By ID. */
  readonly containers = new Map<string, RunningContainer>();
  readonly exclusiveCpus = new ExclusiveCpus();
  /** When the machine was started again, in milliseconds of the wall clock. */
  bootedAt = 0;

  constructor(options: VirtualNodeOptions) {
    this.name = options.name;
    this.options = options;
  }

  /** Its files and commands. Made on first use: most machines of a large lab are never used. */
  get host(): Machine {
    if (!this.#host) {
      this.#host = machine(this.options.base, this.#firstBootId);
      this.#host.surround(this);
    }
    return this.#host;
  }

  /** Its host if it was ever used: until then no file can have changed. */
  get usedHost(): Machine | undefined {
    return this.#host;
  }

  get bootId(): string {
    return this.#host?.bootId ?? this.#firstBootId;
  }

  /** How often it was started again. */
  get reboots(): number {
    return (this.#host?.boots ?? 1) - 1;
  }

  /** What CRI-O read when it last started; undefined on a machine with another runtime. */
  async crio(): Promise<CrioStart | undefined> {
    if (this.options.topology.runtime !== "cri-o") return undefined;
    return (this.#crio ??= await startCrio(this.host));
  }

  async restartCrio(): Promise<CrioStart | undefined> {
    this.#crio = undefined;
    return this.crio();
  }

  attach(runner: NodeRunner): void {
    this.#runner = runner;
  }

  /** Everything on it ends at once, and what was not synced to its disk is lost. */
  cutPower(): void {
    this.host.stop("power cut");
    this.#runner?.poweredOff(this);
  }

  async powerOn(): Promise<void> {
    await (this.#runner ? this.#runner.powerOn(this) : this.host.boot());
  }

  rebootRequested(): void {
    if (this.#runner) this.#runner.rebootRequested(this);
    else void this.host.boot();
  }

  async unitStarted(name: string): Promise<string | undefined> {
    return this.#runner?.unitStarted(this, name);
  }

  unitStopped(name: string): void {
    this.#runner?.unitStopped(this, name);
  }

  async runAttune(args: readonly string[]): Promise<string | undefined> {
    return this.#runner?.runAttune(this, args);
  }
}

/** The kubelet's user and groups. */
export function nodeIdentity(name: string): { user: string; groups: string[] } {
  return { user: `system:node:${name}`, groups: ["system:nodes"] };
}
