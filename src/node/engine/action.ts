import type { Overlay } from "./overlay-lines.ts";
import type { Placed } from "./placed.ts";
import type { GrubConfigBefore } from "./plugins/bootloader/grub-config.ts";

/**
 * A change to a node, as data: it goes to the journal before it is made, so that after a crash another process can undo it
 * from the journal alone.
 */
export type Action =
  /**
   * A kernel file, written in place and in one call. `tolerate`: error codes (EIO) that are no failure. `within`: a mask of
   * CPUs; any of them is as good as `value`, so that irqbalance may choose among them.
   */
  | {
      readonly type: "write";
      readonly path: string;
      readonly value: string;
      readonly tolerate?: readonly string[];
      readonly within?: string;
    }
  /** A whole file that outlives a reboot; `null`: the file is removed. */
  | { readonly type: "file"; readonly path: string; readonly text: string | null; readonly mode?: number }
  /** A file with any bytes, a directory or a link, with mode and owner. */
  | { readonly type: "place"; readonly path: string; readonly placed: Placed }
  /** Boot arguments that rpm-ostree keeps. */
  | { readonly type: "ostree-arguments"; readonly edit: ArgumentsEdit }
  /** A program, without a shell. `tolerate`: exit codes other than 0 that are no failure. */
  | {
      readonly type: "run";
      readonly argv: readonly string[];
      readonly tolerate?: readonly number[];
      /**
       * Consecutive actions with the same first `shared` words may be run as one program, with the remaining words of all:
       * ethtool sets related parameters at once, and thousands of tasks need few programs.
       */
      readonly shared?: number;
      readonly env?: Readonly<Record<string, string>>;
      /** The folder it is started in. */
      readonly cwd?: string;
      /** Any output on stderr is a failure too (scripts). */
      readonly quiet?: boolean;
      readonly timeoutMs?: number;
      /** Exists while the device does. A program that fails for a device that is gone has nothing to change. */
      readonly needs?: string;
    }
  /**
   * Sets keys (`KEY="value"`, see `setKeys`) of a file that other programs write too, in its current text: restoring a whole
   * boot configuration would lose kernels that were installed since. `add`: missing keys get a line.
   */
  | {
      readonly type: "keys";
      readonly path: string;
      readonly values: Readonly<Record<string, string>>;
      readonly add: boolean;
    }
  /** Edits a file that other programs write too, in its current text, so that their changes stay. */
  | { readonly type: "edit"; readonly path: string; readonly edit: Edit }
  /** Removes a directory if it is empty. */
  | { readonly type: "prune"; readonly path: string }
  /** A program to keep running, because the kernel does something only that long. No `argv` ends it. */
  | { readonly type: "keep"; readonly name: string; readonly argv: readonly string[] }
  /** Bytes to write to a file and keep it open: the kernel forgets them when it is closed. No `hex` closes it. */
  | { readonly type: "hold"; readonly path: string; readonly hex: string };

/** Actions on whole files; `textAfter` computes their results. */
export type FileAction = Extract<Action, { type: "file" | "keys" | "edit" }>;

export type Edit =
  /**
   * Replaces all lines of a key (`KEY=…`; of two words: `options MODULE …`), where the first of them is, or at the end. `header`: a missing or empty file
   * is created with this text, and removed when only this is left in it. Without it, a missing file stays missing.
   */
  | { readonly kind: "lines"; readonly key: string; readonly lines: readonly string[]; readonly header?: string }
  | ({ readonly kind: "overlay" } & Overlay)
  | { readonly kind: "grub-config"; readonly tuned_params: string; readonly tuned_initrd: string }
  | { readonly kind: "grub-defaults" }
  /** Undo them: what the files had of it before stays. */
  | ({ readonly kind: "grub-config-before" } & GrubConfigBefore)
  | { readonly kind: "grub-defaults-before"; readonly lines: readonly string[] }
  /** Lines between two marks, at the end where there are none. `null`: neither, nor a file that has nothing else. */
  | { readonly kind: "block"; readonly mark: string; readonly text: string | null }
  | ({ readonly kind: "arguments" } & ArgumentsEdit);

/**
 * Boot arguments, in the `options` lines of a boot loader entry or in a file that has nothing else. As many as `keep` has are
 * never removed. Later ones go first, and new ones come to the end.
 */
export interface ArgumentsEdit {
  readonly remove: readonly string[];
  readonly add: readonly string[];
  readonly keep: readonly string[];
}

export type ActionOutcome =
  /** `refused`: the tolerated error code of a write that had no effect. */
  | { readonly type: "done"; readonly refused?: string }
  | { readonly type: "failed"; readonly code: string; readonly message: string };
