import { findBootId, readBootId } from "../host/boot-id.ts";
import { type Host, unwritten } from "../host/host.ts";
import { isObject } from "../../language/object/json.ts";
import type { Action } from "./action.ts";
import { type Claim, type Entry, Ledger } from "./ledger.ts";
import { settleFolders } from "./made-folders.ts";
import { isPlaced } from "./placed.ts";

export const journalPath = "/var/lib/attune/journal.json";
const version = 2;

/** The ledger as it is on disk, and the boot that it belongs to. */
export interface Journal {
  readonly bootId: string;
  readonly ledger: Ledger;
}

/**
 * Reads the journal of the node. Originals of the running kernel mean nothing after a reboot, so entries of an earlier
 * boot are dropped; those of files and boot arguments stay.
 */
export async function loadJournal(host: Host): Promise<Journal> {
  const bootId = await readBootId(host);
  return { bootId, ledger: await ledgerOf(host, bootId) };
}

/** Runs work that may change the ledger, one at a time on a node: another process that wrote meanwhile would lose its claims. */
export function onLedger<T>(host: Host, work: () => Promise<T>): Promise<T> {
  return host.exclusive ? host.exclusive(work) : work();
}

/** The ledger for comparing, also below a root where no kernel runs. */
export async function readLedger(host: Host): Promise<Ledger> {
  return ledgerOf(host, await findBootId(host));
}

async function ledgerOf(host: Host, bootId: string | undefined): Promise<Ledger> {
  const file = await host.read(journalPath);
  if (file.type === "missing") return new Ledger();
  if (file.type === "failed") throw new Error(`read the journal of originals: ${file.message}`);
  const { entries, folders, ...journal } = parse(file.text);
  return new Ledger(
    entries.filter(({ lasts }) => lasts === "persistent" || journal.bootId === bootId),
    folders,
  );
}

/** Throws where the journal cannot be written: without it nothing may be changed. */
export async function saveJournal(host: Host, journal: Journal): Promise<void> {
  const failure = await storeJournal(host, journal);
  if (failure !== undefined) throw new Error(failure);
}

/**
 * Resolves when the journal would survive a crash, or with the reason why it could not be written. Writes nothing if the ledger
 * did not change; a journal without entries is removed.
 */
export async function storeJournal(host: Host, { bootId, ledger }: Journal): Promise<string | undefined> {
  await settleFolders(ledger, host);
  const [entries, folders] = [ledger.entries(), ledger.folders()];
  const isEmpty = entries.length === 0 && folders.length === 0;
  if (!isEmpty && !ledger.changed) return undefined;
  const text = JSON.stringify({ version, bootId, entries, ...(folders.length > 0 ? { folders } : {}) });
  const outcome = isEmpty ? await host.remove(journalPath) : await host.replace(journalPath, `${text}\n`, 0o600);
  if (outcome.type === "done") ledger.written();
  else if (isEmpty) return `remove the journal of originals: ${outcome.message}`;
  else return unwritten("the journal of originals", outcome);
  return undefined;
}

/** A journal that cannot be read stops the engine: going on would lose the originals for good. */
function parse(text: string): { bootId: string; entries: Entry[]; folders: string[] } {
  const unreadable = new Error(
    `read the journal of originals: ${journalPath} is malformed; remove it to give the originals up`,
  );
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    unreadable.cause = cause;
    throw unreadable;
  }
  if (
    !isObject(data) ||
    data.version !== version ||
    typeof data.bootId !== "string" ||
    !isListOf(data.entries, isEntry) ||
    !isListOf(data.folders ?? [], isString)
  )
    throw unreadable;
  return { bootId: data.bootId, entries: data.entries, folders: (data.folders ?? []) as string[] };
}

function isEntry(value: unknown): value is Entry {
  return (
    isObject(value) &&
    typeof value.target === "string" &&
    typeof value.before === "string" &&
    (value.lasts === "boot" || value.lasts === "persistent") &&
    isListOf(value.aliases, isString) &&
    isListOf(value.undo, isAction) &&
    (value.undoAtShutdown === undefined || isListOf(value.undoAtShutdown, isAction)) &&
    isListOf(value.claims, isClaim)
  );
}

function isClaim(value: unknown): value is Claim {
  return (
    isObject(value) &&
    typeof value.owner === "string" &&
    typeof value.from === "string" &&
    typeof value.value === "string" &&
    typeof value.made === "boolean" &&
    (value.kept === undefined || typeof value.kept === "string") &&
    (value.undo === undefined || isListOf(value.undo, isAction)) &&
    isListOf(value.actions, isAction)
  );
}

function isAction(value: unknown): value is Action {
  if (!isObject(value)) return false;
  if (value.type === "run" || value.type === "keep") return isListOf(value.argv, isString);
  if (value.type === "ostree-arguments") return isObject(value.edit) && isEdit({ kind: "arguments", ...value.edit });
  if (typeof value.path !== "string") return false;
  if (value.type === "write") return typeof value.value === "string";
  if (value.type === "keys") return isObject(value.values) && Object.values(value.values).every(isString);
  if (value.type === "edit") return isObject(value.edit) && isEdit(value.edit);
  if (value.type === "place") return isPlaced(value.placed);
  if (value.type === "prune") return true;
  if (value.type === "hold") return typeof value.hex === "string";
  return value.type === "file" && (value.text === null || typeof value.text === "string");
}

function isEdit(edit: Record<string, unknown>): boolean {
  const { kind, key, lines, header, tuned_params, tuned_initrd } = edit;
  if (kind === "overlay") return [edit.text, edit.instead].every((text) => text === null || isString(text));
  if (kind === "block") return isString(edit.mark) && (edit.text === null || isString(edit.text));
  if (kind === "arguments")
    return isListOf(edit.remove, isString) && isListOf(edit.add, isString) && isListOf(edit.keep, isString);
  if (kind === "lines") return isString(key) && isListOf(lines, isString) && (header === undefined || isString(header));
  if (kind === "grub-config-before") return typeof edit.sets === "boolean" && typeof edit.uses === "boolean";
  if (kind === "grub-defaults-before") return isListOf(lines, isString);
  return kind === "grub-defaults" || (kind === "grub-config" && isString(tuned_params) && isString(tuned_initrd));
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}
