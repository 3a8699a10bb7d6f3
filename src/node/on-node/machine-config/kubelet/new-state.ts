import { managerStates } from "../../../../domain/machine-config/plain-hosts/kubelet-change.ts";
import { systemctlTimeoutMs } from "../../../engine/plugins/systemctl.ts";
import type { CommandResult, Host } from "../../../host/host.ts";
import { flagsOf, kubeletCommand } from "./kubelet-command.ts";

/** The agent may end while the kubelet is stopped, and then only systemd can start it again. */
const startAfter = "10min";

/** The unit that runs this node's kubelet. */
export async function kubeletService(host: Host): Promise<string> {
  return (await kubeletCommand(host))?.service ?? "kubelet.service";
}

/** Stops the kubelet, and removes what its managers remember of pods. Returns why that failed. */
export async function stopForNewState(host: Host): Promise<string[]> {
  const command = await kubeletCommand(host);
  const service = command?.service ?? "kubelet.service";
  const later = ["systemd-run", `--on-active=${startAfter}`, "--unit=attune-start-kubelet", "--collect"];
  // It fails if an earlier one still waits, which serves as well.
  await host.run([...later, "systemctl", "start", service], { timeoutMs: systemctlTimeoutMs });
  const stopped = failureOf(await host.run(["systemctl", "stop", service], { timeoutMs: systemctlTimeoutMs }));
  if (stopped !== undefined) return [`stop ${service}: ${stopped}`];
  const root = flagsOf(command?.argv ?? [])["root-dir"] || "/var/lib/kubelet";
  const removed = await Promise.all(managerStates.map((name) => host.remove(`${root}/${name}`)));
  return removed.flatMap((one) => (one.type === "failed" ? [`remove the state of the kubelet: ${one.message}`] : []));
}

/** Starts the kubelet of a node that has got its former config back. */
export async function startKubelet(host: Host): Promise<string[]> {
  const service = await kubeletService(host);
  const failed = failureOf(await host.run(["systemctl", "start", service], { timeoutMs: systemctlTimeoutMs }));
  return failed === undefined ? [] : [`start ${service}: ${failed}`];
}

function failureOf(result: CommandResult): string | undefined {
  if (result.type === "failed") return result.message;
  return result.code === 0 ? undefined : `exit code ${result.code}: ${result.stderr.trim()}`;
}
