import type { Client } from "../../../cluster/kube/client.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { operatorName } from "../../operator/deployment.ts";
import { otherDeployment } from "../../operator/rbac.ts";
import type { takeOverFlags } from "../flags.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Values } from "../option/flag.ts";
import { type CommandContext, processTerminal, shellWord } from "../terminal/terminal.ts";
import {
  clusterVersionKind,
  clusterVersionName,
  type Installed,
  type Step,
  takeOverSteps,
  undoSteps,
} from "./steps.ts";
import { clusterToRead } from "../up/running-cluster.ts";

type TakeOverOptions = Pick<Values<typeof takeOverFlags>, "apply" | "undo" | "namespace">;

/** `attune take-over`: Attune in place of the operator that OpenShift ships, or with `--undo` the other way. */
export async function takeOver(options: Values<typeof takeOverFlags>): Promise<void> {
  const terminal = processTerminal();
  const find = options.apply ? loadConnection(options) : clusterToRead(options, { note: terminal.err });
  const client = new HttpClient(await find);
  try {
    const { signal } = stopOnSignals();
    await takeOverOn(client, options, { terminal, signal });
  } finally {
    client.close();
  }
}

/** Prints the steps as commands of kubectl, or carries them out with `apply`. */
export async function takeOverOn(
  client: Client,
  { apply, undo, namespace }: TakeOverOptions,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const installed = await readInstalled(client, namespace, signal);
  if (!undo && !installed.attune)
    throw new Error(`take over: there is no Deployment ${namespace}/${operatorName}; install Attune first`);
  if (undo && !installed.other)
    throw new Error(
      `hand back: there is no Deployment ${tuningNamespace}/${otherDeployment} that could take over from Attune; ` +
        "to stop Attune, delete what attune install prints",
    );
  const steps = undo ? undoSteps(installed) : takeOverSteps(installed);
  if (steps.length === 0) terminal.out(`nothing to do: ${stateOf(installed, undo)}\n`);
  for (const step of steps) {
    if (!apply) terminal.out(`# ${step.because}\n${command(step)}\n`);
    else {
      const patch = { type: "json" as const, operations: [...step.operations] };
      await client.patch(step.of, step.name, patch, { namespace: step.namespace, signal });
      terminal.out(`${step.of.kind} ${step.name} changed: ${step.because}\n`);
    }
  }
}

function stateOf({ other }: Installed, undo: boolean): string {
  if (undo) return "Attune has not taken over";
  return other ? "Attune has taken over" : "Attune runs, and there is no other operator";
}

async function readInstalled(client: Client, namespace: string, signal: AbortSignal): Promise<Installed> {
  const [clusterVersion, other, attune] = await Promise.all([
    ifThere(client.get(clusterVersionKind, clusterVersionName, { signal })),
    ifThere(client.get(kinds.deployment, otherDeployment, { namespace: tuningNamespace, signal })),
    ifThere(client.get(kinds.deployment, operatorName, { namespace, signal })),
  ]);
  return { clusterVersion, other, attune };
}

function command({ of, name, namespace, operations }: Step): string {
  const within = namespace === undefined ? [] : ["-n", namespace];
  const words = ["patch", of.kind.toLowerCase(), name, "--type", "json", "-p", JSON.stringify(operations)];
  return ["kubectl", ...within, ...words].map(shellWord).join(" ");
}
