import type { Client } from "../../../cluster/kube/client.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { type Tuned, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { type ObjectFinding, mostSevereFirst } from "../../../domain/finding.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../../domain/scylla/api.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { changesAnything, type PlannedWrite } from "../../../domain/plan/change-plan.ts";
import { type ClusterState, planChanges } from "../../../domain/plan/plan-changes.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import type { planFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { type GatheredTuning, gatherNodeTuning, gatherPods } from "../gather/gather-node-tuning.ts";
import { gatherDerived, gatherPlatform, gatherProfiles } from "../gather/gather-profiles.ts";
import { gatherRollout } from "../gather/gather-rollout.ts";
import { gatherScylla } from "../gather/gather-scylla.ts";
import { readOnlyClient } from "../gather/read-only-client.ts";
import { type Manifest, readManifests, readStandardInput } from "../manifest/read-manifests.ts";
import { serialised } from "../terminal/serialise.ts";
import { type CommandContext, printable, processTerminal, type Terminal } from "../terminal/terminal.ts";
import { dryRunAll, type Skipped } from "./dry-run.ts";
import { planText } from "./plan-text.ts";

export type PlanOptions = Pick<Values<typeof planFlags>, "filename" | "output"> & Partial<Values<typeof planFlags>>;

/** `attune plan -f FILE…`: exit code 0 if nothing would change, 2 if something would. */
export async function plan(options: PlanOptions): Promise<void> {
  // No signal handler: the command writes nothing, so Ctrl-C may end it at once, even while it reads standard input.
  const { signal } = new AbortController();
  const context = { terminal: processTerminal(), stdin: readStandardInput, signal };
  // Before the cluster: a wrong file name is found without one.
  const read = await readFiles(options, context);
  if (typeof read === "number") return void (process.exitCode = read);
  const connection = await loadConnection(options);
  const client = new HttpClient(connection);
  try {
    const withNamespace = { ...options, namespace: options.namespace ?? connection.namespace };
    process.exitCode = await planManifests(client, read, { ...context, options: withNamespace });
  } finally {
    client.close();
  }
}

type PlanContext = CommandContext & { readonly stdin: () => Promise<string> };

/** What applying files would do. Changes nothing. */
export async function planOn(client: Client, options: PlanOptions, context: PlanContext): Promise<number> {
  const read = await readFiles(options, context);
  return typeof read === "number" ? read : planManifests(client, read, { ...context, options });
}

/** The objects of the files, or the exit code if they have problems. */
async function readFiles(
  { filename, recursive = false }: PlanOptions,
  { terminal, stdin }: PlanContext,
): Promise<readonly Manifest[] | number> {
  const { manifests, problems } = await readManifests(filename, { recursive, stdin });
  if (problems.length > 0) return refuse(problems, terminal);
  if (manifests.length === 0) throw new Error("no objects passed to plan");
  return manifests;
}

async function planManifests(
  client: Client,
  manifests: readonly Manifest[],
  { options, terminal, signal }: CommandContext & { readonly options: PlanOptions },
): Promise<number> {
  const { output: format } = options;
  const reader = readOnlyClient(client);
  const [gathered, profiles] = await Promise.all([
    gatherNodeTuning({ client: reader, namespace: tuningNamespace, now: Date.now(), signal }),
    gatherProfiles(reader, signal),
  ]);
  const { namespace = "default" } = options;
  const absent = [
    ...(gathered.tuning.pools ? [] : ["MachineConfigPool", "MachineConfig", "KubeletConfig", "ContainerRuntimeConfig"]),
    ...(profiles ? [] : [performanceProfileKind.kind]),
    ...(gathered.features.scyllaNodeConfigs ? [] : scyllaKinds),
  ];
  const { writes, skipped, problems } = await dryRunAll(reader, manifests, { namespace, absent, signal });
  if (problems.length > 0) return refuse(problems, terminal);

  const cluster = await clusterState({ client: reader, gathered, profiles: profiles ?? [], writes, signal });
  const result = planChanges({ writes, cluster });
  if (result.type === "refused") return refuse(result.problems, terminal);
  const document = {
    ...result.plan,
    findings: [...missingScylla(skipped, absent), ...result.plan.findings].toSorted(mostSevereFirst),
    skipped,
  };
  terminal.out(
    format === "json" || format === "yaml"
      ? await serialised(document, format)
      : planText(document, terminal.colours, { wide: format === "wide", columns: terminal.columns }),
  );
  return changesAnything(document) ? 2 : 0;
}

const scyllaKinds = [scyllaNodeConfigKind.kind, scyllaOperatorConfigKind.kind];

function missingScylla(skipped: readonly Skipped[], absent: readonly string[]): ObjectFinding[] {
  return skipped
    .filter(({ kind }) => scyllaKinds.includes(kind) && absent.includes(kind))
    .map(({ kind, name }) => ({
      severity: "warning",
      about: `${kind} ${name}`,
      message: "the cluster has no such kind: attune install --scylla adds it",
    }));
}

async function clusterState(input: {
  readonly client: Client;
  readonly gathered: GatheredTuning;
  readonly profiles: readonly KubeObject[];
  readonly writes: readonly PlannedWrite[];
  readonly signal: AbortSignal;
}): Promise<ClusterState> {
  const { client, gathered, profiles, writes, signal } = input;
  const { tuning, nodes, profiles: tuned, features } = gathered;
  const written = writes.map(({ after }) => after);
  const tuneds = written.filter(({ kind }) => kind === "Tuned") as Tuned[];
  const names = written
    .filter(({ kind }) => kind === performanceProfileKind.kind)
    .map(({ metadata }) => metadata.name ?? "");
  return {
    nodes,
    profiles: tuned,
    performanceProfiles: profiles,
    ...(await gatherPlatform(client, signal)),
    derived: await gatherDerived(client, names, signal),
    scylla: await gatherScylla(client, features, signal),
    rollout: await gatherRollout(client, features, { namespace: tuning.namespace, signal }),
    // Tuneds that are derived from PerformanceProfiles never go by labels of pods.
    tuning: { ...tuning, podsOn: await gatherPods(client, [...tuning.tuneds, ...tuneds], { signal }) },
  };
}

function refuse(problems: readonly string[], { err }: Terminal): number {
  err(problems.map((problem) => `error: ${printable(problem)}\n`).join(""));
  return 1;
}
