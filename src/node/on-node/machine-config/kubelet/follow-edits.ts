import { originalAfterEdit } from "../../../../domain/machine-config/plain-hosts/foreign-edit.ts";
import type { Action } from "../../../engine/action.ts";
import type { Ledger } from "../../../engine/ledger.ts";
import { type Placed, placedFile } from "../../../engine/placed.ts";
import type { Host } from "../../../host/host.ts";
import { machineConfigOwner } from "../place-step.ts";

type PlacedText = Placed & { readonly kind: "file" };

/** Makes originals of files that the config shares with other programs what these have made of them since. */
export async function followEdits(ledger: Ledger, host: Pick<Host, "read" | "stat">): Promise<void> {
  for (const { target, undo, claims } of ledger.entries()) {
    const claim = claims.find(({ owner }) => owner === machineConfigOwner);
    const [original, ours] = [textIn(undo), textIn(claim?.actions ?? [])];
    if (!original || !ours) continue;
    const [found, stat] = [await host.read(target), await host.stat(target)];
    if (found.type !== "text" || stat.type !== "file") continue;
    const text = originalAfterEdit({ original: original.content, ours: ours.content, present: found.text });
    if (text === undefined || text === original.content) continue;
    ledger.rebase(target, [{ type: "place", path: target, placed: placedFile(new TextEncoder().encode(text), stat) }]);
  }
}

/** Of the one action that places a text. */
function textIn(actions: readonly Action[]): PlacedText | undefined {
  const [action] = actions;
  const placed = action?.type === "place" ? action.placed : undefined;
  return placed?.kind === "file" && placed.encoding === undefined ? placed : undefined;
}
