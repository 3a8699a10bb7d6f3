import { isForbidden, isNotFound } from "../../../cluster/kube/api-error.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { systemClock } from "../../../cluster/runtime/clock.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
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
  if (lifeMs < shortestMs || lifeMs > longestMs) throw new Error(`--ttl: not from 10m to 24h`);
  const client = new HttpClient(await loadConnection(options));
  const { signal } = stopOnSignals();
  try {
    if (!(await mayExist(client, pool, signal))) throw new Error(`MachineConfigPool ${pool} does not exist`);
    const file = await issueToken(client, { node, pool, lifeMs, server, now: systemClock.now(), signal });
    writeOut(`${JSON.stringify(file, null, 2)}\n`);
  } finally {
    client.close();
  }
}

/** Unknown to an account that may not read pools. */
async function mayExist(client: HttpClient, pool: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(machineConfigPoolKind, pool, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    if (isForbidden(error)) return true;
    throw error;
  }
}
