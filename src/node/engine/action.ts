/**
 * A change to a node that can be written down before it is made: undoing it must still be possible after a crash, by a
 * process that knows nothing but the journal.
 */
export type Action =
  /** A file of the kernel, written in place and in one call. Errors that only mean "not this one" (EIO) are named. */
  | { readonly type: "write"; readonly path: string; readonly value: string; readonly tolerate?: readonly string[] }
  /** A whole file that outlives a reboot; `null`: it is not there. */
  | { readonly type: "file"; readonly path: string; readonly text: string | null; readonly mode?: number }
  /** A program, without a shell. Exit codes other than 0 that are no failure are named. */
  | {
      readonly type: "run";
      readonly argv: readonly string[];
      readonly tolerate?: readonly number[];
      /**
       * Neighbours with the same first `shared` words may be run as one, with the remaining words of all: what belongs
       * together changes together, and thousands of tasks cost few programs.
       */
      readonly shared?: number;
      readonly env?: Readonly<Record<string, string>>;
      /** The folder it is started in. */
      readonly cwd?: string;
      /** Whatever it says on stderr is a failure too (scripts). */
      readonly quiet?: boolean;
      readonly timeoutMs?: number;
    }
  /**
   * Keys of a file that others write too (`KEY="value"`, see `setKeys`), given values in whatever the file holds by then:
   * putting a whole boot configuration back would lose the kernels installed since. `add`: keys that are nowhere get a line.
   */
  | {
      readonly type: "keys";
      readonly path: string;
      readonly values: Readonly<Record<string, string>>;
      readonly add: boolean;
    }
  /** A program kept running while it is wanted, none to end it: some things the kernel does only as long as one asks. */
  | { readonly type: "keep"; readonly name: string; readonly argv: readonly string[] }
  /** A file held open with these bytes in it, none to let go: the kernel forgets them when it is closed. */
  | { readonly type: "hold"; readonly path: string; readonly hex: string };

/** What one action came to. */
export type ActionOutcome =
  /** `refused`: the tolerated error of a write that came to nothing. */
  | { readonly type: "done"; readonly refused?: string }
  | { readonly type: "failed"; readonly code: string; readonly message: string };
