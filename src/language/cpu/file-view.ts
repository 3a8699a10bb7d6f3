/** A read-only look at the files of a machine, all of them at hand. Paths are absolute, as the machine itself sees them. */
export interface FileView {
  /** Undefined where there is no such file. */
  read(path: string): string | undefined;
  /** Names in a folder; none where there is no such folder. */
  list(path: string): readonly string[];
}

/** The same where each look takes time. */
export interface FileSource {
  read(path: string): Promise<string | undefined>;
  list(path: string): Promise<readonly string[]>;
}
