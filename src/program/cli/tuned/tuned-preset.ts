import { journalPath, loadJournal } from "../../../node/engine/journal.ts";
import type { Host } from "../../../node/host/host.ts";

const activeFile = "/etc/tuned/active_profile";
export const postLoadedFile = "/etc/tuned/post_loaded_profile";

/** The profiles that the host's own TuneD applies when it starts, and the one that it merges into any other. */
export interface TunedPreset {
  readonly profile: string | undefined;
  readonly postLoaded: string | undefined;
}

export async function tunedPreset(host: Host): Promise<TunedPreset> {
  return { profile: await original(activeFile, host), postLoaded: await postLoaded(host) };
}

/** TuneD merges this profile into every other that it loads. */
export function postLoaded(host: Host): Promise<string | undefined> {
  return original(postLoadedFile, host);
}

/** Where the TuneD engine has replaced the file for its daemon, the journal has the original. */
async function original(path: string, host: Host): Promise<string | undefined> {
  const file = await host.read(path);
  if (file.type === "missing") return undefined;
  if (file.type === "failed") throw new Error(`read ${path}: ${file.message}`);
  const text = await replacedText(path, host);
  return (text ?? file.text).trim() || undefined;
}

async function replacedText(path: string, host: Host): Promise<string | undefined> {
  if ((await host.read(journalPath)).type === "missing") return undefined;
  const { ledger } = await loadJournal(host);
  return ledger.find(path)?.before;
}
