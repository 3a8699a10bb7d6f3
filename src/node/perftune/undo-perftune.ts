import type { Restored } from "../engine/engine.ts";
import { perftuneOwner } from "../engine/ledger.ts";
import { releaseAll } from "../engine/release-all.ts";
import type { Host } from "../host/host.ts";

/** Puts back everything that runs of perftune have changed, or lets take effect what another owner wants there. */
export async function undoPerftune(host: Host): Promise<readonly Restored[]> {
  const { restored } = await releaseAll({ host, owner: perftuneOwner });
  return restored;
}
