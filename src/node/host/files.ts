/** How a host gets at its files. What goes wrong is thrown as Node.js throws it. */
export interface Files {
  read(file: string): Promise<string>;
  list(folder: string): Promise<string[]>;
  /** The path without links on the way. */
  real(path: string): Promise<string>;
  /** False also where there is nothing. */
  isLink(path: string): Promise<boolean>;
  /** In place, in one call. `create`: what is missing, folders included. */
  write(file: string, text: string, create: boolean): Promise<void>;
  /** Returns when a crash would leave the new file. Without a mode it keeps the old one's. */
  replace(file: string, text: string, mode?: number): Promise<void>;
  remove(file: string): Promise<void>;
}
