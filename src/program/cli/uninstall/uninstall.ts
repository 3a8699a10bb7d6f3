import type { Client } from "../../../cluster/kube/client.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Clock, systemClock } from "../../../cluster/runtime/clock.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { machineConfigKind } from "../../../domain/machine-config/api.ts";
import { isGenerated, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { defaultTunedName } from "../../../domain/node-tuning/default-tuned.ts";
import { group as scyllaGroup, scyllaNodeConfigKind } from "../../../domain/scylla/api.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { agentRole, agentServiceAccount } from "../../agent/rbac.ts";
import { otherDeployment } from "../../operator/rbac.ts";
import type { uninstallFlags } from "../flags.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Values } from "../option/flag.ts";
import { type CommandContext, processTerminal } from "../terminal/terminal.ts";
import { wholeWords } from "../terminal/wrap.ts";
import { clusterToRead } from "../up/running-cluster.ts";
import { cleanNodes } from "./clean-nodes.ts";
import { decideDeletions, isDefinition } from "./decide-deletions.ts";
import { deleteDefaultTuned, deleteObjects } from "./delete-objects.ts";
import { giveNodesBack, managedNodes } from "./give-back.ts";
import { installedObjects, nameOf } from "./installed-objects.ts";
import type { NodeOutcome } from "./node-outcome.ts";
import { patientClient } from "./patient-client.ts";
import { openGates, tunedForScylla } from "./scylla-databases.ts";
import { deleteRolloutObjects } from "./rollout-objects.ts";
import { reportData, reportText } from "./report.ts";
import { usersObjects } from "./users-objects.ts";

type Deployment = NonNullable<(typeof kinds.deployment)["object"]>;

export type UninstallOptions = Pick<
  Values<typeof uninstallFlags>,
  "namespace" | "dryRun" | "crds" | "timeout" | "output"
>;

/** `attune uninstall`: rolls back all nodes, and then deletes what `attune install` made. */
export async function uninstall(options: Values<typeof uninstallFlags>): Promise<void> {
  const terminal = processTerminal();
  const find = options.dryRun ? clusterToRead(options, { note: terminal.err }) : loadConnection(options);
  const client = new HttpClient(await find);
  const { signal } = stopOnSignals();
  try {
    process.exitCode = await uninstallFrom(client, options, { terminal, signal });
  } catch (error) {
    throw signal.aborted && !options.dryRun ? new Error(interrupted, { cause: error }) : error;
  } finally {
    client.close();
  }
}

const interrupted =
  "uninstall: interrupted: run the command again to continue; to keep Attune, run attune install --apply " +
  `and set managementState: Managed in Tuned ${tuningNamespace}/${defaultTunedName}`;

/** Returns the exit code: 1 if a node was not rolled back. */
export async function uninstallFrom(
  api: Client,
  options: UninstallOptions,
  { terminal, signal, clock = systemClock }: CommandContext & { readonly clock?: Clock },
): Promise<number> {
  const { namespace, dryRun, crds, timeout: timeoutMs, output } = options;
  const waiting = (text: string): void => terminal.err(`${text}\n`);
  const client = patientClient(api, { clock, signal, waiting });
  const isOtherOperator = await isManagedByOther(client, signal);
  const { ours, others } = await installedObjects(client, namespace, signal);
  const hasScylla = ours.some(isScyllaDefinition);
  const scyllaNodes = hasScylla ? await tunedForScylla(client, signal) : [];
  const deleted: KubeObject[] = [];
  const onDeleted = (object: KubeObject): void => {
    deleted.push(object);
    const text = `${nameOf(object)} deleted${dryRun ? " (dry run)" : ""}`;
    if (output === "text") terminal.out(`${wholeWords(text, terminal.columns)}\n`);
  };
  let nodes: NodeOutcome[] = [];
  const isHeld = ({ kind }: KubeObject): boolean => kind === "Namespace" && nodes.some(({ state }) => state === "away");
  const deletion = { client, dryRun, clock, timeoutMs, signal, isHeld, deleted: onDeleted };

  // The API server would ask the webhook about the change that removes the agents, and the webhook may not run.
  const [webhooks, rest] = parted(ours, ({ kind }) => kind.endsWith("WebhookConfiguration"));
  await deleteObjects(
    webhooks.map((object) => ({ object })),
    deletion,
  );
  if (!isOtherOperator)
    nodes = dryRun
      ? (await managedNodes(client, signal)).map((node) => ({ node, state: "rolled back" }))
      : await giveNodesBack({ client, timeoutMs, clock, signal, waiting });

  const decided = decideDeletions({ ours: rest, users: await usersObjects(client, rest, signal), crds });
  const [containers, contents] = parted(decided, ({ object }) => isDefinition(object) || object.kind === "Namespace");
  // An agent on a node that is away can ask, when the node is back: Kubernetes deletes the pods of a namespace first.
  const goes = containers.some(({ object, keptBecause }) => object.metadata.name === tuningNamespace && !keptBecause);
  await deleteObjects(goes ? contents.filter(({ object }) => !isOfAgent(object)) : contents, deletion);
  if (!isOtherOperator) await deleteDefaultTuned(namespace, deletion);
  await deleteRolloutObjects(rest, deletion);
  if (!dryRun) await cleanNodes(client, signal);
  if (!dryRun && hasScylla) await openGates(client, signal);
  await deleteObjects(containers, deletion);

  const kept = [
    ...decided.flatMap(({ object, keptBecause: because }) => (because === undefined ? [] : [{ object, because }])),
    ...others.map((object) => ({ object, because: "it was not created by Attune" })),
    ...(await generatedConfigs(client, signal)).map((object) => ({ object, because: rebootNote })),
  ];
  const report = { dryRun, nodes, scyllaNodes, deleted, kept };
  if (output === "text") terminal.out(reportText(report, imageOf(ours)));
  else terminal.out(await reportData(report, output));
  return nodes.some(({ state }) => state !== "rolled back") ? 1 : 0;
}

function isScyllaDefinition({ metadata }: KubeObject): boolean {
  return metadata.name === `${scyllaNodeConfigKind.plural}.${scyllaGroup}`;
}

/** Its ServiceAccount, role and binding, which go with their namespace. */
function isOfAgent({ metadata: { name, namespace } }: KubeObject): boolean {
  return namespace === tuningNamespace && (name === agentServiceAccount || name === agentRole);
}

const rebootNote = "it has boot arguments of nodes, which restart when you delete it";

/** MachineConfigs of the operator that outlive it. */
async function generatedConfigs(client: Client, signal: AbortSignal): Promise<KubeObject[]> {
  const { items = [] } = (await ifThere(client.list(machineConfigKind, { signal }))) ?? {};
  return items.filter(({ metadata }) => isGenerated(metadata)).map((object) => ({ ...object, kind: "MachineConfig" }));
}

function parted<T>(list: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [list.filter(isFirst), list.filter((one) => !isFirst(one))];
}

/** Whether the operator that Attune replaces manages the nodes, which then stay as they are. */
async function isManagedByOther(client: Client, signal: AbortSignal): Promise<boolean> {
  const other = await ifThere(client.get(kinds.deployment, otherDeployment, { namespace: tuningNamespace, signal }));
  if (other && (other.spec?.replicas ?? 1) === 0)
    throw new Error(
      `uninstall: Attune has taken over from Deployment ${tuningNamespace}/${otherDeployment}: ` +
        "hand back first with attune take-over --undo --apply",
    );
  return other !== undefined;
}

/** With which a node can be rolled back later. */
function imageOf(ours: readonly KubeObject[]): string | undefined {
  const operator: Deployment | undefined = ours.find(({ kind }) => kind === "Deployment");
  return operator?.spec?.template.spec?.containers[0]?.image;
}
