import type { GateFiles, Opening } from "../../domain/scylla/gate/decide-gate.ts";

/** The volume that the sidecar shares with the database. */
export interface SharedFolder {
  read(): Promise<GateFiles>;
  /** Lets a start go on. */
  open(opening: Opening): Promise<void>;
  forget(files: GateFiles): Promise<void>;
  /** Calls back after every change until the signal aborts. Rejects if that cannot go on. */
  watch(changed: () => void, signal: AbortSignal): Promise<void>;
}
