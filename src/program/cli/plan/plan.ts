import { HttpClient } from "../../../cluster/kube/http-client.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { MachineConfigPool } from "../../../domain/machine-config/api.ts";
import { type Tuned, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import type { NodeTuningInput } from "../../../domain/node-tuning/decide.ts";
import { foresee } from "../../../domain/plan/preview.ts";
import { mostSevereFirst, type ObjectFinding } from "../../../domain/finding.ts";
import type { NodeFacts } from "../../../domain/node-tuning/node-profile.ts";
import { projectNode } from "../../../domain/node-tuning/projections.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { connectionOption, type Options } from "../option/connection-option.ts";
import { type ClusterObjects } from "../../../domain/performance-profile/gather-surroundings.ts";
import { type Gathered, gatherNodeTuning, gatherPods } from "../gather/gather-node-tuning.ts";
import { readOnlyClient } from "../gather/read-only-client.ts";
import { objectDiff } from "./object-diff.ts";
import { changesAnything, type PlanDocument, type PlannedObject } from "./plan-document.ts";
import { type DryRun, dryRunAll } from "./dry-run.ts";
import { readManifests, readStandardInput } from "../manifest/read-manifests.ts";
import { afterRestart, knownOf, traitsOf } from "../../../domain/plan/known-nodes.ts";
import { gatherPlatform, gatherProfiles } from "../gather/gather-profiles.ts";
import { planProfiles } from "../../../domain/plan/profile-plans.ts";
import { planText } from "./plan-text.ts";
import { outputOption } from "../option/output-option.ts";
import { serialised } from "../terminal/serialise.ts";
import { type CommandContext, printable, processTerminal, type Terminal } from "../terminal/terminal.ts";

export interface PlanOptions extends Readonly<Record<string, unknown>> {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
  readonly output: string;
  readonly namespace?: string;
}

/** `attune plan -f FILE…`: exit code 0 if nothing would change, 2 if something would. */
export async function plan(options: PlanOptions): Promise<void> {
  const connection = await connectionOption(options as Options);
  const client = new HttpClient(connection);
  try {
    const unnamed = { namespace: connection.namespace, ...options };
    // Nothing is changed, so nothing need be ended well: Ctrl-C ends it even where it waits for standard input.
    const { signal } = new AbortController();
    const around = { terminal: processTerminal(), stdin: readStandardInput, signal };
    process.exitCode = await planOn(client, unnamed, around);
  } finally {
    client.close();
  }
}

/** What applying files would do. Changes nothing. */
export async function planOn(
  client: Client,
  options: PlanOptions,
  { terminal, stdin, signal }: CommandContext & { readonly stdin: () => Promise<string> },
): Promise<number> {
  const format = outputOption(options.output, ["table", "wide", "json", "yaml"] as const);
  const read = await readManifests(options.filename, { recursive: options.recursive === true, stdin });
  if (read.problems.length > 0) return refuse(read.problems, terminal);
  if (read.manifests.length === 0) throw new Error("no objects passed to plan");

  const looking = readOnlyClient(client);
  const [before, profiles] = await Promise.all([
    gatherNodeTuning({ client: looking, namespace: tuningNamespace, now: Date.now(), signal }),
    gatherProfiles(looking, signal),
  ]);
  const { namespace = "default" } = options;
  const absent = [...(before.pools ? [] : ["MachineConfigPool"]), ...(profiles ? [] : ["PerformanceProfile"])];
  const { runs, skipped, problems } = await dryRunAll(looking, read.manifests, { namespace, absent, signal });
  if (problems.length > 0) return refuse(problems, terminal);

  const { refused, ...foresight } = await foreseen(looking, before, { runs, profiles: profiles ?? [] }, signal);
  if (refused.length > 0) return refuse(refused, terminal);
  const document = { ...foresight, skipped };
  terminal.out(
    format === "json" || format === "yaml"
      ? await serialised(document, format)
      : planText(document, terminal.colours, { wide: format === "wide" }),
  );
  return changesAnything(document) ? 2 : 0;
}

async function foreseen(
  client: Client,
  before: Gathered,
  { runs, profiles }: { readonly runs: readonly DryRun[]; readonly profiles: readonly KubeObject[] },
  signal: AbortSignal,
): Promise<Omit<PlanDocument, "skipped"> & { readonly refused: readonly string[] }> {
  const objects = runs.map(({ after }) => after);
  const inForce = objects.filter(({ kind, metadata }) => kind === "Tuned" && metadata.namespace === tuningNamespace);
  const nodes = objects.filter(isKind("Node"));
  const written: NodeTuningInput = {
    ...before,
    tuneds: withWritten(before.tuneds, inForce as Tuned[]),
    nodes: withWritten(
      before.nodes,
      nodes.map((node) => projectNode(node as NodeFacts)),
    ),
    ...(before.pools
      ? { pools: withWritten(before.pools, objects.filter(isKind("MachineConfigPool")) as MachineConfigPool[]) }
      : {}),
  };
  const whole = { nodes: withWritten(before.whole.nodes, nodes), profiles: before.whole.profiles };
  const { pools, machineConfigs } = written;
  const cluster: ClusterObjects = {
    ...whole,
    performanceProfiles: profiles,
    ...(pools ? { pools } : {}),
    ...(machineConfigs ? { machineConfigs } : {}),
    ...(await gatherPlatform(client, signal)),
  };
  const derived = await planProfiles({ client, runs, after: written, cluster, signal });
  const after = { ...written, tuneds: withWritten(written.tuneds, derived.tuneds) };
  const podsOn = await gatherPods(client, [...before.tuneds, ...after.tuneds], { signal });
  const pods = podsOn ? { podsOn } : {};
  const traits = traitsOf(whole.nodes, whole.profiles);
  const foresight = foresee({
    before: { ...before, ...pods },
    after: { ...after, ...pods },
    written: [...inForce, ...derived.tuneds].map(({ metadata }) => metadata.name ?? ""),
    known: {
      before: knownOf((node) => traits.get(node)),
      after: knownOf((node) => {
        const [now, profile] = [traits.get(node), derived.profileOf(node)];
        return now && profile ? afterRestart(now, profile) : now;
      }),
    },
  });
  return {
    ...foresight,
    refused: derived.problems,
    objects: [...runs.map(objectOf), ...derived.objects],
    configurations: derived.configurations,
    findings: [...derived.findings, ...foresight.findings, ...elsewhere(objects)].toSorted(mostSevereFirst),
  };
}

const isKind =
  (kind: string) =>
  (object: KubeObject): boolean =>
    object.kind === kind;

function elsewhere(objects: readonly KubeObject[]): ObjectFinding[] {
  return objects
    .filter(({ kind, metadata }) => kind === "Tuned" && metadata.namespace !== tuningNamespace)
    .map(({ metadata }) => ({
      severity: "warning",
      about: `Tuned ${metadata.name}`,
      message: `it is in the namespace ${metadata.namespace}; only those in ${tuningNamespace} are heeded`,
    }));
}

function withWritten<T extends KubeObject>(objects: readonly T[], written: readonly T[]): T[] {
  const byName = new Map(objects.map((object) => [object.metadata.name, object]));
  for (const object of written) byName.set(object.metadata.name, object);
  return [...byName.values()];
}

function objectOf({ place, before, after }: DryRun): PlannedObject {
  const { kind, metadata } = after;
  const diff = objectDiff(before, after);
  return {
    place,
    kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name ?? "",
    change: before ? (diff === "" ? "none" : "change") : "create",
    diff,
  };
}

function refuse(problems: readonly string[], { err }: Terminal): number {
  err(problems.map((problem) => `error: ${printable(problem)}\n`).join(""));
  return 1;
}
