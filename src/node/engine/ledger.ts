import type { Action } from "./action.ts";
import type { Change } from "./plugin.ts";

/** One target on the node: its original, and the values that owners claim for it. */
export interface Entry {
  readonly target: string;
  /** Links that lead to the target and were used for it. */
  readonly aliases: readonly string[];
  readonly lasts: "boot" | "persistent";
  readonly before: string;
  readonly undo: readonly Action[];
  readonly undoAtShutdown?: readonly Action[];
  /** In order; the last one is in force. When it is released, the one before it takes effect. */
  readonly claims: readonly Claim[];
  /** The kernel refused to change it. */
  readonly refused?: boolean;
}

export interface Claim {
  readonly owner: string;
  /** Unit, option and place of the setting. */
  readonly from: string;
  readonly value: string;
  readonly actions: readonly Action[];
  /** False while the target had the wanted value already: then there is nothing to undo. */
  readonly made: boolean;
  /** What the kernel made of the value, where it made another: it rounds some, and limits others. */
  readonly kept?: string;
  /** Used instead of the entry's `undo` where it depends on the value. */
  readonly undo?: readonly Action[];
}

/**
 * Holds what it claims against every other owner, whenever they claim it: interrupts must stay off the CPUs of a database. The
 * value that they want takes effect when it lets go.
 */
export const perftuneOwner = "perftune";

/** Originals and claims of a node, in the order of first change. */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #names = new Map<string, string>();
  readonly #folders: Set<string>;
  #changed = false;

  constructor(entries: Iterable<Entry> = [], folders: Iterable<string> = []) {
    for (const entry of entries) this.#put(entry);
    this.#folders = new Set(folders);
  }

  /** Folders that did not exist before files were written into them. */
  folders(): string[] {
    return [...this.#folders];
  }

  addFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    this.#folders.add(folder);
    this.#changed = true;
  }

  removeFolder(folder: string): void {
    if (this.#folders.delete(folder)) this.#changed = true;
  }

  /** Whether it differs from the journal on disk. */
  get changed(): boolean {
    return this.#changed;
  }

  written(): void {
    this.#changed = false;
  }

  /** By the target's own name or an alias. */
  find(name: string): Entry | undefined {
    return this.#entries.get(this.#names.get(name) ?? name);
  }

  entries(): Entry[] {
    return [...this.#entries.values()];
  }

  /** The claim of another owner that is in force, and keeps this one from setting the target. */
  holder(target: string, owner: string): Claim | undefined {
    const claim = this.find(target)?.claims.at(-1);
    return claim && claim.owner !== owner ? claim : undefined;
  }

  /** Records a claim. The first claim to a target brings the original, which then stays. */
  claim(change: Change, claim: Claim, alias?: string): void {
    const { target, before, undo, undoAtShutdown, lasts = "boot" } = change;
    const atShutdown = undoAtShutdown && { undoAtShutdown };
    const entry: Entry = this.find(target) ?? { target, aliases: [], lasts, before, undo, ...atShutdown, claims: [] };
    const index = entry.claims.findIndex(({ owner }) => owner === claim.owner);
    const earlier = entry.claims[index];
    const named = alias === undefined || alias === entry.target || entry.aliases.includes(alias);
    const made = claim.made || earlier?.made === true;
    if (named && earlier && earlier.made === made && sameClaim(earlier, claim)) return;
    const now: Claim = { ...(earlier && sameClaim(earlier, claim) ? earlier : claim), made };
    const claims = inOrder(earlier ? entry.claims.with(index, now) : [...entry.claims, now]);
    this.#put({ ...entry, aliases: named ? entry.aliases : [...entry.aliases, alias], claims });
    this.#changed = true;
  }

  /** Another program, which owns the rest of the target, has changed what it would be without any claim; `owner`: without this one's. */
  rebase(target: string, undo: readonly Action[], owner?: string): void {
    const entry = this.find(target);
    if (!entry) return;
    const claims = entry.claims.map((claim) => (claim.owner === owner ? { ...claim, undo } : claim));
    this.#put(owner === undefined ? { ...entry, undo } : { ...entry, claims });
    this.#changed = true;
  }

  /** The change failed: there is nothing to undo. */
  unmake(target: string, owner: string): void {
    const entry = this.find(target);
    if (!entry) return;
    const claims = entry.claims.map((claim) => (claim.owner === owner ? { ...claim, made: false } : claim));
    this.#put({ ...entry, claims });
    this.#changed = true;
  }

  /** The kernel made this of an owner's value; `undefined`: what it was asked for. */
  keep(target: string, owner: string, kept: string | undefined): void {
    const entry = this.find(target);
    const claim = entry?.claims.find((one) => one.owner === owner);
    if (!entry || !claim || claim.kept === kept) return;
    const { kept: _, ...rest } = claim;
    const now: Claim = kept === undefined ? rest : { ...rest, kept };
    this.#put({ ...entry, claims: entry.claims.map((one) => (one === claim ? now : one)) });
    this.#changed = true;
  }

  refuse(target: string): void {
    const entry = this.find(target);
    if (!entry || entry.refused) return;
    this.#put({ ...entry, refused: true });
    this.#changed = true;
  }

  /** Removes an owner's claim, and the entry with its last claim. */
  release(target: string, owner: string): void {
    const entry = this.find(target);
    if (!entry) return;
    const claims = entry.claims.filter((claim) => claim.owner !== owner);
    const last = claims.at(-1);
    // The target differs from its original as long as any claim has changed it.
    const made = entry.claims.some((claim) => claim.made);
    if (last) this.#put({ ...entry, claims: [...claims.slice(0, -1), { ...last, made: last.made || made }] });
    else {
      this.#entries.delete(entry.target);
      for (const alias of entry.aliases) this.#names.delete(alias);
    }
    this.#changed = true;
  }

  #put(entry: Entry): void {
    this.#entries.set(entry.target, entry);
    for (const alias of entry.aliases) this.#names.set(alias, entry.target);
  }
}

/** By the time of the first claim, except that perftune's is in force. */
function inOrder(claims: readonly Claim[]): readonly Claim[] {
  const held = claims.filter(({ owner }) => owner === perftuneOwner);
  return held.length === 0 ? claims : [...claims.filter(({ owner }) => owner !== perftuneOwner), ...held];
}

function sameClaim(a: Claim, b: Claim): boolean {
  const parts = ({ value, from, actions, undo = [] }: Claim): string => JSON.stringify([value, from, actions, undo]);
  return parts(a) === parts(b);
}
