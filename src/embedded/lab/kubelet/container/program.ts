import type { FileText, Host } from "../../../../node/host/host.ts";
import type { SharedFiles } from "./shared-files.ts";
import type { Connection } from "../../../../cluster/kube/connect/connection.ts";

/** A container whose command is `attune`: it runs inside this process. */
export interface ProgramRun {
  /** The arguments after `attune`. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The number of its user, or its name where the image has no number. */
  user: string;
  /** The node it runs on. Once the machine goes down, every call throws. */
  host: Host;
  /** The files of its volumes. */
  files: ContainerFiles;
  /** The containers that run on its node, by ID, as the node's runtime knows them. */
  containers: ReadonlyMap<string, RunningContainer>;
  /** To the cluster, with the token of its pod's ServiceAccount. */
  connection: Connection;
  node: string;
  /** A line of its log. */
  write: (line: string) => void;
  /** SIGTERM. A program that goes on after the grace period loses its log and its token. */
  signal: AbortSignal;
}

/** Resolves with the exit code. An error it throws is written to its log, and the exit code is 1. */
export type Program = (run: ProgramRun) => Promise<number>;

export interface ContainerFiles {
  read(path: string): Promise<FileText>;
  list(path: string): Promise<string[]>;
  /** The folder of an emptyDir, which the containers of a pod share; undefined if there is none at this path. */
  shared(path: string): SharedFiles | undefined;
}

/** What a runtime tells of a container. */
export interface RunningContainer {
  readonly podUid: string;
  /** Undefined where containers have no control groups. */
  readonly controlGroup: string | undefined;
  readonly mounts: readonly { readonly containerPath: string; readonly hostPath: string }[];
}
