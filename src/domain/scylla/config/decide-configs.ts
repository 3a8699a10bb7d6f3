import { findCondition } from "../../../language/object/condition.ts";
import { namespaceObject } from "../../../language/object/confinement.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { emptyPlan, type Plan, type PlannedEvent, referenceTo } from "../../../language/object/plan.ts";
import { formatFinding } from "../../finding.ts";
import { hasForeignFields } from "../../node-tuning/agent-daemon-set.ts";
import { defaultEngine, type ScyllaNodeConfig, type ScyllaOperatorConfig } from "../api.ts";
import type { ConfigMap } from "../gate/release.ts";
import { labelValue } from "../label-value.ts";
import { agentDaemonSetName, nodeConfigLabel, nodeLabel, tuningNamespace } from "../names.ts";
import { isEnabled, type PlacedNode } from "../placement.ts";
import { type AgentDaemonSet, agentDaemonSet, type AgentTemplate } from "./agent-daemon-set.ts";
import { agentAccess } from "./agent-access.ts";
import { type AgentPod, configStatus, type Problem } from "./config-status.ts";
import { type TuningJob, tuningOfNodes } from "./node-jobs.ts";
import { selectionsOf } from "./overlaps.ts";
import { placementFaults } from "./placement-faults.ts";

export const fieldManager = "attune-scylla";

export interface ScyllaState {
  readonly configs: readonly ScyllaNodeConfig[];
  readonly operatorConfig: ScyllaOperatorConfig | undefined;
  readonly nodes: readonly PlacedNode[];
  /** Of the namespace of tuning, with the label of a config. */
  readonly daemonSets: readonly AgentDaemonSet[];
  readonly agentPods: readonly AgentPod[];
  readonly jobs: readonly TuningJob[];
  /** What agents say about their nodes. */
  readonly reports: readonly ConfigMap[];
  readonly namespace: KubeObject | undefined;
  /** What there is of the agents' ServiceAccount, roles and bindings. */
  readonly access: readonly KubeObject[];
}

export interface ScyllaInput extends ScyllaState {
  readonly template: AgentTemplate;
  readonly now: string;
}

/** The agents of all configs, what they need, and the status of each config. */
export function decideConfigs(input: ScyllaInput): Plan {
  const plan = emptyPlan();
  const { configs, namespace } = input;
  const living = configs.filter(({ metadata }) => !metadata.deletionTimestamp);
  const hasNamespace = namespace !== undefined && !namespace.metadata.deletionTimestamp;
  const enabled = living.filter(isEnabled);
  if (enabled.length > 0 && hasNamespace) {
    plan.objects.push({
      owns: "fields",
      object: namespaceObject(tuningNamespace, "privileged"),
      because: "agents and tuning Jobs are privileged",
    });
    for (const object of agentAccess().filter((one) => mayBind(one, input.access)))
      plan.objects.push({
        // Other controllers add Secrets to accounts. A rule that another client adds to a role is removed.
        owns: object.kind === "ServiceAccount" ? "fields" : "whole",
        object,
        because: "agents act under this account",
      });
  }
  planDaemonSets(plan, hasNamespace ? enabled : [], input);
  pruneOfNodes(plan, living, input);
  if (enabled.length === 0 && input.daemonSets.length === 0 && input.agentPods.length === 0)
    plan.prunes.push(...input.access.map(referenceTo));
  planStatuses(plan, living, hasNamespace, input);
  return plan;
}

/** The API server compares the rights of a binding's role with ours, so that the role comes first. */
function mayBind(
  { metadata, roleRef }: KubeObject & { readonly roleRef?: { readonly kind?: string } },
  access: readonly KubeObject[],
): boolean {
  return !roleRef || access.some((one) => one.kind === roleRef.kind && one.metadata.name === metadata.name);
}

function planDaemonSets(plan: Plan, configs: readonly ScyllaNodeConfig[], input: ScyllaInput): void {
  const { daemonSets, operatorConfig } = input;
  const template = { ...input.template, utilsImage: operatorConfig?.spec?.scyllaUtilsImage };
  const observed = new Map(daemonSets.map((daemonSet) => [daemonSet.metadata.name ?? "", daemonSet]));
  const wanted = new Set<string>();
  for (const config of configs) {
    const name = agentDaemonSetName(config.metadata.name ?? "");
    const found = observed.get(name);
    // An object of an earlier config of that name: two owners that control it would be rejected.
    if (found && controllerOf(found) !== undefined && controllerOf(found) !== config.metadata.uid) continue;
    wanted.add(name);
    // Agents that there are stay as they are.
    if (problemsOf(config, true, input).length > 0) continue;
    plan.objects.push({
      // Server-side apply keeps what other clients add, such as an argument that switches an agent off.
      owns: found && hasForeignFields(found, fieldManager) ? "whole" : "fields",
      object: agentDaemonSet(config, template),
      because: `agents of ScyllaNodeConfig ${config.metadata.name}`,
    });
  }
  plan.prunes.push(...daemonSets.filter(({ metadata }) => !wanted.has(metadata.name ?? "")).map(referenceTo));
}

function controllerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

/**
 * Jobs and reports of nodes and configs that are gone. A Job that runs for a config which is switched off goes on: a node that is half
 * tuned is worse. One that has succeeded stays: by it the agent knows what to give back when the config is switched on again.
 */
function pruneOfNodes(plan: Plan, living: readonly ScyllaNodeConfig[], { jobs, reports, nodes }: ScyllaInput): void {
  const configs = new Set(living.map(({ metadata }) => labelValue(metadata.name ?? "")));
  const names = new Set(nodes.map(({ metadata }) => labelValue(metadata.name ?? "")));
  const isUnused = ({ metadata: { labels } }: KubeObject): boolean =>
    !configs.has(labels?.[nodeConfigLabel] ?? "") || !names.has(labels?.[nodeLabel] ?? "");
  plan.prunes.push(...[...jobs, ...reports].filter(isUnused).map(referenceTo));
}

function planStatuses(
  plan: Plan,
  living: readonly ScyllaNodeConfig[],
  hasNamespace: boolean,
  input: ScyllaInput,
): void {
  const { ofNode, overlaps } = selectionsOf(input.nodes, living);
  for (const config of living) {
    const { name = "" } = config.metadata;
    const isOfConfig = ({ metadata }: KubeObject): boolean => metadata.labels?.[nodeConfigLabel] === labelValue(name);
    const tuningOf = tuningOfNodes(input.jobs.filter(isOfConfig), input.reports.filter(isOfConfig));
    const tuning = [...ofNode].flatMap(([node, [first]]) => {
      const found = first === config ? tuningOf.get(labelValue(node)) : undefined;
      return found ? [[node, found] as const] : [];
    });
    const isDisabled = !isEnabled(config);
    const problems = isDisabled ? [] : problemsOf(config, hasNamespace, input);
    const daemonSet = input.daemonSets.find(({ metadata }) => metadata.name === agentDaemonSetName(name));
    const status = configStatus({
      config,
      daemonSet,
      pods: input.agentPods.filter(isOfConfig),
      tuning: new Map(isDisabled ? [] : tuning),
      overlaps: overlaps.get(name) ?? [],
      problems,
      isDisabled,
      now: input.now,
    });
    plan.statuses.push({ of: referenceTo(config), status: { ...status } });
    plan.events.push(...newProblems(config, problems));
  }
}

function problemsOf(
  { spec }: ScyllaNodeConfig,
  hasNamespace: boolean,
  { operatorConfig }: Pick<ScyllaInput, "operatorConfig">,
): Problem[] {
  const faults = placementFaults(spec?.placement ?? {});
  return [
    ...(hasNamespace
      ? []
      : [
          {
            reason: "MissingNamespace",
            message: `namespace ${tuningNamespace} does not exist: attune install --scylla creates it`,
          },
        ]),
    ...(faults.length > 0
      ? [{ reason: "InvalidPlacement", message: faults.map((fault) => formatFinding(fault)).join("; ") }]
      : []),
    ...((spec?.engine ?? defaultEngine) === "perftune" && !operatorConfig?.spec?.scyllaUtilsImage
      ? [missingUtilsImage]
      : []),
  ];
}

const missingUtilsImage: Problem = {
  reason: "MissingScyllaUtilsImage",
  message:
    "no node is tuned: spec.scyllaUtilsImage of ScyllaOperatorConfig cluster is empty; set it to a Scylla image, or spec.engine to native",
};

/** Events of problems that the status does not report yet. */
function newProblems(config: ScyllaNodeConfig, problems: readonly Problem[]): PlannedEvent[] {
  const reported = findCondition(config.status?.conditions, "Degraded")?.reason.split(",") ?? [];
  return problems
    .filter(({ reason }) => !reported.includes(reason))
    .map(({ reason, message }) => ({ regarding: referenceTo(config), type: "Warning", reason, message }));
}
