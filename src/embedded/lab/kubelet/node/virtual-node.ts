import type { Taint } from "kubernetes-types/core/v1.js";
import type { MemoryBase } from "../../../../node/host/memory-base.ts";
import type { MemoryHost } from "../../../../node/host/memory-host.ts";
import { machine } from "../../machine.ts";
import type { Topology } from "../../topology.ts";

export interface VirtualNodeOptions {
  readonly name: string;
  readonly topology: Topology;
  /** The files of a machine of this kind at boot; all of them share it. */
  readonly base: MemoryBase;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Capacity besides cpu, memory and pods: huge pages, extended resources. */
  readonly resources?: Readonly<Record<string, string>>;
}

/** A virtual machine and the options of its Node. */
export class VirtualNode {
  readonly name: string;
  readonly options: VirtualNodeOptions;
  #host: MemoryHost | undefined;

  constructor(options: VirtualNodeOptions) {
    this.name = options.name;
    this.options = options;
  }

  /** Its files and commands. Made on first use: most machines of a large lab are never used. */
  get host(): MemoryHost {
    this.#host ??= machine(this.options.base);
    return this.#host;
  }

  /** Its host if it was ever used: until then no file can have changed. */
  get usedHost(): MemoryHost | undefined {
    return this.#host;
  }
}

/** The kubelet's user and groups. */
export function nodeIdentity(name: string): { user: string; groups: string[] } {
  return { user: `system:node:${name}`, groups: ["system:nodes"] };
}
