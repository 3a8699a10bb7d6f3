import { chosenProfileFile } from "../../../domain/node-tuning/agent-daemon-set.ts";
import type { Restored, RollbackReport } from "../../engine/engine.ts";
import type { Host } from "../../host/host.ts";
import { appliedPath, recordPath } from "../tuning-record.ts";

/**
 * Rolls a node back. Its records go first: with one left behind, the next agent would take the node for tuned. One that cannot
 * be removed, as on a file system that turned read-only, is reported with the rest, and everything else is restored.
 */
export async function rollBackNode(
  host: Pick<Host, "remove">,
  rollback: () => Promise<RollbackReport>,
): Promise<RollbackReport> {
  const left: Restored[] = [];
  for (const target of [recordPath, chosenProfileFile, appliedPath]) {
    const outcome = await host.remove(target);
    if (outcome.type === "failed") left.push({ target, value: "", failed: `cannot be removed: ${outcome.message}` });
  }
  const { restored } = await rollback();
  return { restored: [...restored, ...left] };
}
