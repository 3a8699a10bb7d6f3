import type { Taint } from "kubernetes-types/core/v1.js";
import type { MemoryBase } from "../../../../node/host/memory-base.ts";
import type { MemoryHost } from "../../../../node/host/memory-host.ts";
import { machine } from "../../machine.ts";
import type { Topology } from "../../topology.ts";

export interface VirtualNodeOptions {
  readonly name: string;
  readonly topology: Topology;
  /** What machines of this kind start with; shared by all of them. */
  readonly base: MemoryBase;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Capacity besides cpu, memory and pods: huge pages, extended resources. */
  readonly resources?: Readonly<Record<string, string>>;
}

/** A machine that is not there, and how its node presents itself. */
export class VirtualNode {
  readonly name: string;
  readonly options: VirtualNodeOptions;
  #host: MemoryHost | undefined;

  constructor(options: VirtualNodeOptions) {
    this.name = options.name;
    this.options = options;
  }

  /** Its files and commands. Made when first asked for: most machines of a large lab never are. */
  get host(): MemoryHost {
    this.#host ??= machine(this.options.base);
    return this.#host;
  }

  /** Its files, unless nobody can have changed any. */
  get usedHost(): MemoryHost | undefined {
    return this.#host;
  }
}

/** Who a kubelet is to the API server. */
export function nodeIdentity(name: string): { user: string; groups: string[] } {
  return { user: `system:node:${name}`, groups: ["system:nodes"] };
}
