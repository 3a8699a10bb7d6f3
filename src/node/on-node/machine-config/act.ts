import {
  type DisruptionPolicy,
  type PolicyAction,
  withoutCrio,
} from "../../../domain/machine-config/cost/disruption-policy.ts";
import type { Changes } from "../../../domain/machine-config/cost/changes.ts";
import { costOf } from "../../../domain/machine-config/cost/cost-of.ts";
import { equal } from "../../../language/object/json.ts";
import { systemctlTimeoutMs } from "../../engine/plugins/systemctl.ts";
import type { Host } from "../../host/host.ts";
import { kubeletService } from "./kubelet/new-state.ts";
import { trustCommand, trustUnit } from "./trust.ts";

/** Brings applied files into force. Returns why an action failed. */
export async function act(actions: readonly PolicyAction[], host: Host): Promise<string[]> {
  const done = new Set<string>();
  for (const action of actions) {
    const argv = await onThisHost(action, host);
    // Two files of one service need one restart.
    if (!argv || done.has(argv.join(" "))) continue;
    done.add(argv.join(" "));
    const result = await host.run(argv, { timeoutMs: systemctlTimeoutMs });
    // The shutdown that it asked for ends it like every other process, at times before it has exited.
    if (action.type === "Reboot" && result.type === "failed" && result.signal !== undefined) continue;
    if (result.type === "failed") return [`${argv.join(" ")}: ${result.message}`];
    if (result.code !== 0) return [`${argv.join(" ")}: exit code ${result.code}: ${result.stderr.trim()}`];
  }
  return [];
}

/** The command of an action. Undefined: there is nothing to do on this host. */
async function onThisHost(action: PolicyAction, host: Host): Promise<string[] | undefined> {
  if (action.type === "Restart" && action.service === trustUnit) return trustCommand(host);
  // The kubelet may run in the service of a distribution.
  const isKubelet = action.type === "Restart" && action.service === "kubelet.service";
  const argv = commandOf(isKubelet ? { ...action, service: await kubeletService(host) } : action);
  // It may have ended since the update was planned.
  return argv?.includes(crio) && (await isStopped(crio, host)) ? undefined : argv;
}

/** The policy of OpenShift names it for every host. */
const crio = "crio.service";

/** What the policy of the cluster asks of this host for some changes. */
export async function policyHere(
  policy: DisruptionPolicy,
  changes: readonly Changes[],
  host: Host,
): Promise<DisruptionPolicy> {
  const without = withoutCrio(policy);
  const depends = changes.some((one) => !equal(costOf(one, policy), costOf(one, without)));
  return depends && (await isStopped(crio, host)) ? without : policy;
}

/** systemctl says `inactive` of a unit that does not exist too; before systemd 230 it said `unknown`. */
async function isStopped(service: string, host: Host): Promise<boolean> {
  const state = await host.run(["systemctl", "is-active", service], { timeoutMs: systemctlTimeoutMs });
  return state.type === "exited" && ["inactive", "unknown"].includes(state.stdout.trim());
}

function commandOf(action: PolicyAction): string[] | undefined {
  switch (action.type) {
    case "Reload":
      return ["systemctl", "reload", action.service];
    case "Restart":
      return ["systemctl", "restart", action.service];
    case "Special":
      return ["systemctl", "reload", crio];
    case "DaemonReload":
      return ["systemctl", "daemon-reload"];
    case "Reboot":
      return ["systemctl", "reboot"];
    case "Drain":
    case "None":
      return undefined;
    default:
      return action satisfies never;
  }
}
