import { spawn } from "node:child_process";
import type { TuningCluster } from "./tuning-cluster.ts";

export interface OperatorProgram {
  readonly pid: number;
  stop(): Promise<void>;
}

/** `attune operator` as a user runs it; resolves when it acts. */
export async function startOperator(cluster: TuningCluster): Promise<OperatorProgram> {
  const child = spawn(process.execPath, ["bin/attune", "operator", "--kubeconfig", cluster.kubeconfig], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await cluster.seenByOperator();
  return {
    pid: child.pid as number,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      process.off("exit", kill);
    },
  };
}
