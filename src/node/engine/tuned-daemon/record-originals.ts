import type { Host } from "../../host/host.ts";
import type { Change } from "../plugin.ts";
import type { Ledger } from "../ledger.ts";
import { claimOf, isChange, type UnitStep } from "../unit-step.ts";

/** Records the originals of what TuneD is about to change: TuneD keeps them only in memory. */
export function recordOriginals(steps: readonly UnitStep[], ledger: Ledger, owner: string): void {
  for (const step of steps)
    if (isChange(step) && step.undo.length > 0) ledger.claim(step, claimOf(step, owner), step.alias);
}

/** Records TuneD's configuration files, and returns those that must be written. */
export async function recordFiles(
  files: ReadonlyMap<string, string>,
  host: Host,
  ledger: Ledger,
  owner: string,
): Promise<Map<string, string>> {
  const different = new Map<string, string>();
  for (const [path, text] of files) {
    const file = await host.read(path);
    if (file.type === "failed") throw new Error(`write TuneD's configuration: ${file.message}`);
    const before = file.type === "text" ? file.text : null;
    if (before !== text) different.set(path, text);
    const change: Change = {
      type: before === text ? "same" : "change",
      target: path,
      before: before ?? "",
      value: text,
      actions: [{ type: "file", path, text }],
      undo: [{ type: "file", path, text: before }],
      lasts: "persistent",
    };
    const claim = { owner, from: "TuneD's configuration", value: text, actions: change.actions, made: before !== text };
    ledger.claim(change, claim);
  }
  return different;
}

/** A target of its own, apart from what native plug-ins change in the file. */
export function wholeFile(path: string): string {
  return `all of ${path}`;
}

/** Records whole files that TuneD changes in other ways than the native plug-ins. */
export async function recordWholeFiles(
  paths: readonly string[],
  host: Host,
  ledger: Ledger,
  owner: string,
): Promise<void> {
  for (const path of paths) {
    const file = await host.read(path);
    if (file.type !== "text") continue;
    const undo: Change["undo"] = [{ type: "file", path, text: file.text }];
    const change: Change = {
      type: "change",
      target: wholeFile(path),
      before: file.text,
      value: "",
      actions: [],
      undo,
      lasts: "persistent",
    };
    ledger.claim(change, { owner, from: "TuneD", value: "", actions: [], made: true });
  }
}
