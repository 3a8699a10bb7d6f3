import type { Client } from "../../src/cluster/kube/client.ts";
import { createInformer } from "../../src/cluster/kube/informer/informer.ts";
import { configMapKind } from "../../src/domain/hosted/control-plane-controller.ts";
import { unpackText } from "../../src/domain/hosted/handover/packed-text.ts";
import { isOrder, readOrder } from "../../src/domain/hosted/handover/pool-order.ts";

/** What a NodePool was ordered to be rolled out to, one after the other. The namespace has no other NodePools. */
export class OrderTargets {
  readonly #orders;
  readonly all: string[] = [];
  /** Of the last order. */
  payload = "";

  constructor(client: Client, namespace: string) {
    this.#orders = createInformer(client, configMapKind, { namespace });
    this.#orders.subscribe(() => this.#look());
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#orders.run(signal);
  }

  #look(): void {
    for (const one of this.#orders.list().filter(isOrder)) {
      const read = readOrder(one);
      if (read.type === "problem") throw new Error(read.problem);
      const { target, payload } = read.value;
      if (target.full === this.all.at(-1)) continue;
      this.all.push(target.full);
      const unpacked = unpackText(payload);
      this.payload = unpacked.type === "text" ? unpacked.text : "";
    }
  }
}
