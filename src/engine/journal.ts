import { isObject } from "../object/json.ts";
import type { Host } from "../host/host.ts";

/** What files held before they were tuned, on disk before the first of them is written. */
export interface Journal {
  /** Values of a running kernel mean nothing after the next start. */
  readonly bootId: string;
  /** In the order of first writing, which is the order of putting back. */
  readonly originals: ReadonlyMap<string, string>;
}

const path = "/var/lib/attune/journal.json";
const bootIdPath = "/proc/sys/kernel/random/boot_id";
const version = 1;

/** The journal of this boot; empty where there is none, or one from an earlier boot. */
export async function loadJournal(host: Host): Promise<Journal> {
  const boot = await host.read(bootIdPath);
  if (boot.type !== "text")
    throw new Error(`read the journal of originals: ${boot.type === "failed" ? boot.message : `no ${bootIdPath}`}`);
  const empty: Journal = { bootId: boot.text.trim(), originals: new Map() };
  const file = await host.read(path);
  if (file.type === "missing") return empty;
  if (file.type === "failed") throw new Error(`read the journal of originals: ${file.message}`);
  const journal = parse(file.text);
  return journal.bootId === empty.bootId ? journal : empty;
}

/** Returns when the journal would survive a crash. */
export async function saveJournal(host: Host, { bootId, originals }: Journal): Promise<void> {
  const text = JSON.stringify({ version, bootId, originals: [...originals] });
  const outcome = await host.replace(path, `${text}\n`);
  if (outcome.type === "failed") throw new Error(`write the journal of originals: ${outcome.message}`);
}

/** Going on without known originals would lose them for good, so a journal that cannot be read stops the engine. */
function parse(text: string): Journal {
  const unreadable = new Error(`read the journal of originals: ${path} is not one; remove it to give the originals up`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    unreadable.cause = cause;
    throw unreadable;
  }
  if (!isObject(data) || data.version !== version || typeof data.bootId !== "string" || !isPairs(data.originals))
    throw unreadable;
  return { bootId: data.bootId, originals: new Map(data.originals) };
}

function isPairs(value: unknown): value is [string, string][] {
  return (
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && typeof pair[0] === "string" && typeof pair[1] === "string")
  );
}
