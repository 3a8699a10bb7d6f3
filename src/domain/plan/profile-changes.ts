import type { Client } from "../../cluster/kube/client.ts";
import type { Tuned } from "../node-tuning/api.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import { restartsOf } from "./boot-changes.ts";
import { Pools } from "../node-tuning/pools.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { apiVersion, performanceProfileKind } from "../performance-profile/api.ts";
import { convertProfile } from "../performance-profile/conversion/conversion.ts";
import { formatFinding, type ObjectFinding } from "../finding.ts";
import { type DerivedChange, type Forecast, forecast } from "./derived-changes.ts";
import { type ClusterObjects, surroundingsOf } from "../performance-profile/gather-surroundings.ts";
import { poolFor } from "../performance-profile/pools.ts";
import type { ProfileFacts } from "../performance-profile/profile-facts.ts";
import type { Surroundings } from "../performance-profile/surroundings.ts";
import { currentObjects } from "../../program/cli/gather/gather-profiles.ts";
import { objectDiff } from "../../program/cli/plan/object-diff.ts";
import type { ConfigurationChange, PlannedObject } from "../../program/cli/plan/plan-document.ts";
import type { DryRun } from "../../program/cli/plan/dry-run.ts";

/** What performance profiles among the written objects would bring. */
export interface ProfilePlan {
  readonly objects: readonly PlannedObject[];
  readonly tuneds: readonly Tuned[];
  readonly configurations: readonly ConfigurationChange[];
  readonly findings: readonly ObjectFinding[];
  /** Why a cluster would not take them. */
  readonly problems: readonly string[];
  /** The profile that a node would restart with. */
  readonly profileOf: (node: string) => ProfileFacts | undefined;
}

export interface ProfilePlanInput {
  readonly client: Client;
  readonly runs: readonly DryRun[];
  /** The cluster with what is written in it, but for what is derived. */
  readonly after: NodeTuningInput;
  readonly cluster: ClusterObjects;
  readonly signal: AbortSignal;
}

export async function planProfiles({ client, runs, after, cluster, signal }: ProfilePlanInput): Promise<ProfilePlan> {
  const written = runs
    .filter(({ after: { kind } }) => kind === performanceProfileKind.kind)
    .map((run) => ({ place: run.place, profile: convertProfile(run.after, apiVersion) }));
  const objects = { ...cluster, performanceProfiles: withWritten(cluster.performanceProfiles, written) };
  const plans: (OnePlan & Pick<Surroundings, "nodes">)[] = [];
  // In turn, as they were tried on the server: a folder may hold hundreds.
  for (const { place, profile } of written) {
    const current = await currentObjects(client, profile, after, signal);
    const surroundings = surroundingsOf(profile, objects);
    const plan = planOf({ place, profile }, forecast({ profile, surroundings, current }), after);
    plans.push({ ...plan, nodes: surroundings.nodes });
  }
  const given = new Map(
    plans.flatMap(({ facts, nodes }) => (facts ? nodes.map(({ name }) => [name, facts] as const) : [])),
  );
  return {
    objects: plans.flatMap((plan) => plan.objects),
    tuneds: plans.flatMap((plan) => plan.tuneds),
    configurations: plans.flatMap((plan) => plan.configurations),
    findings: plans.flatMap((plan) => plan.findings),
    problems: plans.flatMap((plan) => plan.problems),
    profileOf: (node) => given.get(node),
  };
}

interface Written {
  readonly place: string;
  readonly profile: KubeObject;
}

interface OnePlan extends Omit<ProfilePlan, "profileOf"> {
  /** Absent: no node restarts for its machine's sake. One may be about to already, but not because of this plan. */
  readonly facts?: ProfileFacts;
}

function planOf({ place, profile }: Written, { findings, derived }: Forecast, after: NodeTuningInput): OnePlan {
  const about = `${profile.kind} ${profile.metadata.name}`;
  const told = (severity: string): string[] =>
    findings.filter((finding) => finding.severity === severity).map(formatFinding);
  const note = (severity: ObjectFinding["severity"], message: string): ObjectFinding => ({ severity, about, message });
  const nothing = {
    objects: [],
    tuneds: [],
    configurations: [],
    findings: told("warning").map((message) => note("warning", message)),
    problems: told("error").map((message) => `${place}: ${about}: ${message}`),
  };
  if (!derived) return nothing;
  const { facts, objects } = derived;
  if (facts.paused)
    return { ...nothing, findings: [...nothing.findings, note("note", "it is paused: what is derived from it stays")] };
  const writable = after.pools ? objects : objects.filter((change) => !configuresMachines(change));
  const stays = "the cluster has no machine configuration: files, units and kubelets stay as they are";
  return {
    ...nothing,
    ...(writable.some(({ after: { kind }, change }) => kind === "MachineConfig" && change !== "none") ? { facts } : {}),
    objects: writable.map(({ before, after: object, change }) => ({
      place: `derived from ${about}`,
      kind: object.kind,
      ...(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace }),
      name: object.metadata.name ?? "",
      change,
      diff: change === "none" ? "" : objectDiff(before, object),
    })),
    tuneds: objects.map(({ after: object }) => object).filter(({ kind }) => kind === "Tuned"),
    configurations: configurationsOf(facts, writable, after),
    findings: writable.length < objects.length ? [...nothing.findings, note("warning", stays)] : nothing.findings,
  };
}

function configuresMachines({ after: { kind } }: DerivedChange): boolean {
  return kind === "MachineConfig" || kind === "KubeletConfig";
}

function configurationsOf(
  facts: ProfileFacts,
  objects: readonly DerivedChange[],
  after: NodeTuningInput,
): ConfigurationChange[] {
  const changed = objects.filter((one) => configuresMachines(one) && one.change !== "none");
  if (changed.length === 0 || !after.pools) return [];
  const found = poolFor(facts.nodeSelector, after.pools);
  const taking = new Pools(after.pools).selecting(facts.machineConfigLabels);
  const pools = new Set([...taking, ...(found.type === "pool" ? [found.pool.metadata.name ?? ""] : [])]);
  return [
    {
      objects: changed.map(({ after: { kind, metadata }, change }) => ({ kind, name: metadata.name ?? "", change })),
      ...restartsOf([...pools].toSorted(), { nodes: after.nodes, pools: after.pools }),
    },
  ];
}

function withWritten(known: readonly KubeObject[], written: readonly Written[]): readonly KubeObject[] {
  const byName = new Map([...known, ...written.map(({ profile }) => profile)].map((one) => [one.metadata.name, one]));
  return [...byName.values()];
}
