import { isObject } from "../object/json.ts";
import type { CpuTopology } from "./cpu-topology.ts";
import { parseMemory, parseTopology } from "./topology-text.ts";

/**
 * Reads the topologies of many machines. Machines of a pool differ only in a few kilobytes of memory, so the rest is parsed
 * and stored once.
 */
export class TopologyReader {
  readonly #layouts = new Map<string, CpuTopology | undefined>();

  /** As `parseTopology` does. */
  read(text: unknown): CpuTopology | undefined {
    if (!isObject(text) || !Array.isArray(text.numaNodes)) return undefined;
    const memories = new Map<unknown, number>();
    const numaNodes: unknown[] = [];
    for (const one of text.numaNodes as unknown[]) {
      if (!isObject(one)) return undefined;
      const { memory, ...layout } = one;
      numaNodes.push(layout);
      if (memory === undefined) continue;
      const memoryKiB = parseMemory(memory);
      if (memoryKiB === undefined) return undefined;
      memories.set(layout["id"], memoryKiB);
    }
    const whole = text.memory === undefined ? undefined : parseMemory(text.memory);
    if (text.memory !== undefined && whole === undefined) return undefined;
    const layout = this.#layout({ numaNodes, offline: text.offline });
    const memory = whole === undefined ? {} : { memoryKiB: whole };
    return (
      layout && { ...layout, ...memory, numaNodes: layout.numaNodes.map((node) => ({ ...node, ...ofMemory(node.id) })) }
    );

    function ofMemory(id: number): { memoryKiB?: number } {
      const memoryKiB = memories.get(id);
      return memoryKiB === undefined ? {} : { memoryKiB };
    }
  }

  #layout(text: object): CpuTopology | undefined {
    const key = JSON.stringify(text);
    if (!this.#layouts.has(key)) this.#layouts.set(key, parseTopology(text));
    return this.#layouts.get(key);
  }
}
