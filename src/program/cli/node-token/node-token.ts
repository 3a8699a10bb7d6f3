import { ifThere, isForbidden } from "../../../cluster/kube/api-error.ts";
import type { KindRef } from "../../../cluster/kube/client.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { systemClock } from "../../../cluster/runtime/clock.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { whatThereIs } from "../../../domain/node-tuning/explain/near-names.ts";
import { dnsSubdomain } from "../../../language/object/names.ts";
import type { nodeTokenFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { writeOut } from "../terminal/terminal.ts";
import { issueToken } from "./issue-token.ts";

/** What the API server issues at least, and how long the published authority is kept at least. */
const [shortestMs, longestMs] = [600_000, 24 * 3_600_000];

/** `attune node-token`: prints the file with which a machine boots first. */
export async function nodeToken(node: string, options: Values<typeof nodeTokenFlags>): Promise<void> {
  const { pool, server, ttl: lifeMs } = options;
  const [problem] = dnsSubdomain(node);
  if (problem !== undefined) throw new Error(`node ${JSON.stringify(node)}: ${problem}`);
  if (lifeMs < shortestMs || lifeMs > longestMs) throw new Error("--ttl: must be from 10m to 24h");
  const client = new HttpClient(await loadConnection(options));
  const { signal } = stopOnSignals();
  try {
    if ((await isThere(client, machineConfigPoolKind, pool, signal)) === false)
      throw new Error(`MachineConfigPool ${pool} does not exist${await otherPools(client, pool, signal)}`);
    if ((await isThere(client, kinds.node, node, signal)) === true)
      throw new Error(`node ${node} has joined: delete the Node first, or choose another name`);
    const file = await issueToken(client, { node, pool, lifeMs, server, now: systemClock.now(), signal });
    writeOut(`${JSON.stringify(file, null, 2)}\n`);
  } finally {
    client.close();
  }
}

async function otherPools(client: HttpClient, pool: string, signal: AbortSignal): Promise<string> {
  const { items } = await client.list(machineConfigPoolKind, { signal });
  return whatThereIs(
    pool,
    items.map(({ metadata }) => metadata.name ?? ""),
  );
}

/** Undefined to an account that may not read it. */
async function isThere(
  client: HttpClient,
  ref: KindRef,
  name: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  try {
    return (await ifThere(client.get(ref, name, { signal }))) !== undefined;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
