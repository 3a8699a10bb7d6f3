import { spawnSync } from "node:child_process";

/** Whether this process may create namespaces. */
export const hasMachines = ((): boolean => {
  const machine = ["-m", "-n", "-p", "-f", "--mount-proc", "mount", "-t", "tmpfs", "none", "/mnt"];
  return spawnSync("unshare", machine).status === 0;
})();

/** The TuneD to test with, or `undefined` where there is none or no private namespace to run it in. */
export const tunedPath = ((): string | undefined => {
  const path = process.env.ATTUNE_TUNED ?? "/usr/sbin/tuned";
  if (spawnSync(path, ["--version"]).status !== 0) return undefined;
  return hasMachines ? path : undefined;
})();
