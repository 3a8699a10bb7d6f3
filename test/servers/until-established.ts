import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { growingPause } from "./growing-pause.ts";

/** Until every definition there is can be used: a real server takes seconds. */
export async function untilEstablished(client: Client): Promise<void> {
  for (const pause = growingPause(); ; await pause()) {
    const { items } = await client.list(kinds.customResourceDefinition);
    const pending = items.filter(
      ({ status }) => !status?.conditions?.some(({ type, status }) => type === "Established" && status === "True"),
    );
    if (pending.length === 0) return;
  }
}
