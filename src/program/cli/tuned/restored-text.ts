import type { Restored } from "../../../node/engine/engine.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { type Cell, reportTable } from "../terminal/text-table.ts";

/** What was put back, and what could not be. */
export function restoredText(restored: readonly Restored[], colours: Colours, columns?: number): string {
  if (restored.length === 0) return "nothing to roll back";
  const rows = restored.map(({ target, value, failed, note = "" }): Cell[] => [
    failed === undefined ? { text: "restored", paint: colours.green } : { text: "failed", paint: colours.red },
    printable(target),
    printable(value),
    failed === undefined ? printable(note) : { text: printable(failed), paint: colours.red },
  ]);
  return reportTable(["RESULT", "WHAT", "VALUE", "NOTE"], rows, columns);
}
