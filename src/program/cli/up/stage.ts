import type { HttpClient } from "../../../cluster/kube/http-client.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { exportLine } from "./state-directory.ts";
import type { ClusterState } from "./convergence.ts";

/** A system that runs, as far as `attune up` shows it. */
export interface Stage {
  /** Where it is, and what to try. */
  readonly heading: readonly Line[];
  /** With the rights of the user of `up`. The console shows the first one first. */
  readonly clusters: readonly { readonly name: string; readonly client: HttpClient }[];
  /** The number of virtual nodes that are shown. */
  readonly nodes: number;
  /** Creates the objects of the example. Those that are there stay. */
  createExample(): Promise<void>;
  /** What the example does, in lines of at most 80 characters. */
  readonly example: readonly string[];
  read(): Promise<ClusterState>;
  /** What changes when the state may have changed. */
  readonly watched: readonly Watched[];
  /** Rejects when a part fails; resolves when all have stopped. */
  readonly stopped: Promise<void>;
}

export interface Line {
  readonly title: string;
  readonly text: string;
  /** Of no use when `up` ends at once. */
  readonly later?: boolean;
}

/** What users may run in another terminal. Each line is one to copy, so none is wrapped. */
export function toTry(kubeconfig: string, commands: readonly string[]): Line[] {
  const lines = ["in another terminal:", exportLine(kubeconfig, process.env), ...commands];
  return lines.map((text, at) => ({ title: at === 0 ? "try" : "", text, later: true }));
}

export interface Watched {
  run(signal: AbortSignal): Promise<void>;
  subscribe(handler: () => void): unknown;
}

export interface StageOptions {
  readonly dir: string;
  /** Of the first API server; 0: any free one. */
  readonly port: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}
