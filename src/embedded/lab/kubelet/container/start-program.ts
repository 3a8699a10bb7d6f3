import type { Container } from "kubernetes-types/core/v1.js";
import type { Cluster } from "../../../../cluster/kube/connect/connection.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import { containerFiles, isScript } from "./container-files.ts";
import type { ContainerLog } from "./container-log.ts";
import type { RunningProgram } from "./container-run.ts";
import { expand, type EnvironmentInput } from "./environment.ts";
import { PodToken } from "../pod/pod-token.ts";
import type { Program, ProgramRun } from "./program.ts";
import type { SharedFiles } from "./shared-files.ts";
import type { VirtualNode } from "../node/virtual-node.ts";

export interface ProgramStart extends EnvironmentInput {
  readonly program: Program;
  readonly user: string;
  readonly node: VirtualNode;
  readonly shared: (volume: string) => SharedFiles;
  /** Acts as the node's kubelet. */
  readonly client: Client;
  readonly cluster: Cluster;
  readonly variables: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: ContainerLog;
  /** Not called for a program that was killed. */
  readonly ended: (exitCode: number) => void;
}

export function startProgram(start: ProgramStart): RunningProgram {
  const { pod, node, cluster, container, log, clock } = start;
  const stop = new AbortController();
  const tokens: PodToken[] = [];
  const token = (wanted: { audience?: string; expirationSeconds?: number } = {}): PodToken => {
    const created = new PodToken({
      client: start.client,
      namespace: pod.metadata.namespace ?? "",
      pod: { name: pod.metadata.name ?? "", uid: pod.metadata.uid ?? "" },
      serviceAccount: pod.spec?.serviceAccountName || "default",
      audiences: wanted.audience ? [wanted.audience] : [],
      expirationSeconds: wanted.expirationSeconds || undefined,
      clock,
    });
    tokens.push(created);
    return created;
  };
  const byAudience = new Map<string, PodToken>();
  const mounted: typeof token = (wanted) => {
    const key = `${wanted?.audience ?? ""}/${wanted?.expirationSeconds ?? ""}`;
    const known = byAudience.get(key) ?? token(wanted);
    byAudience.set(key, known);
    return known;
  };
  const run = invoke(start.program, {
    args: argumentsOf(container, start.variables),
    env: start.variables,
    user: start.user,
    host: node.host.session(),
    files: containerFiles({ ...start, token: mounted }),
    containers: node.containers,
    connection: {
      cluster,
      credentials: token(),
      namespace: pod.metadata.namespace ?? "default",
      name: `${pod.metadata.namespace}/${pod.metadata.name}`,
    },
    node: node.name,
    write: (line) => log.write(line),
    signal: stop.signal,
  });
  let killed = false;
  const ended = (exitCode: number): void => {
    for (const one of tokens) one.revoke();
    if (!killed) start.ended(exitCode);
  };
  const done = run.then(ended, (error: unknown) => {
    log.write(`error: ${error instanceof Error ? error.message : String(error)}`);
    ended(1);
  });
  return {
    done,
    terminate: () => stop.abort(),
    kill() {
      killed = true;
      stop.abort();
      for (const one of tokens) one.revoke();
    },
  };
}

/** As a promise, also if the program throws before its first `await`. */
async function invoke(program: Program, run: ProgramRun): Promise<number> {
  return program(run);
}

/** The arguments after `attune`, which is the first word of `command`, or of `args` where there is no command. */
function argumentsOf(container: Container, variables: Readonly<Record<string, string>>): string[] {
  const known = new Map(Object.entries(variables));
  const { command = [], args = [] } = container;
  if (isScript(container)) return [command[3]?.slice("attune-".length) ?? "", ...command.slice(4), ...args];
  return [...command, ...args].slice(1).map((word) => expand(word, known));
}
