import type { MemoryHost } from "../../node/host/memory-host.ts";

/** A machine as its own programs see it. */
export interface RunningMachine extends MemoryHost {
  /** Returns at once, as systemd does; the machine goes down after it. */
  requestReboot(): void;
  /** A unit was started, or started again. Resolves with why it failed. */
  unitStarted(name: string): Promise<string | undefined>;
  unitStopped(name: string): void;
  /** Runs a program of Attune as a unit does. Returns why it failed. */
  runAttune(args: readonly string[]): Promise<string | undefined>;
}
