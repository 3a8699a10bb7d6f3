import type { Client } from "../../../cluster/kube/client.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { type Tuned, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { changesAnything, type PlannedWrite } from "../../../domain/plan/change-plan.ts";
import { type ClusterState, planChanges } from "../../../domain/plan/plan-changes.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import type { planFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { type GatheredTuning, gatherNodeTuning, gatherPods } from "../gather/gather-node-tuning.ts";
import { gatherDerived, gatherPlatform, gatherProfiles } from "../gather/gather-profiles.ts";
import { readOnlyClient } from "../gather/read-only-client.ts";
import { readManifests, readStandardInput } from "../manifest/read-manifests.ts";
import { serialised } from "../terminal/serialise.ts";
import { type CommandContext, printable, processTerminal, type Terminal } from "../terminal/terminal.ts";
import { dryRunAll } from "./dry-run.ts";
import { planText } from "./plan-text.ts";

export type PlanOptions = Pick<Values<typeof planFlags>, "filename" | "output"> & Partial<Values<typeof planFlags>>;

/** `attune plan -f FILE…`: exit code 0 if nothing would change, 2 if something would. */
export async function plan(options: PlanOptions): Promise<void> {
  const connection = await loadConnection(options);
  const client = new HttpClient(connection);
  try {
    const withNamespace = { ...options, namespace: options.namespace ?? connection.namespace };
    // No signal handler: the command writes nothing, so Ctrl-C may end it at once, even while it reads standard input.
    const { signal } = new AbortController();
    const context = { terminal: processTerminal(), stdin: readStandardInput, signal };
    process.exitCode = await planOn(client, withNamespace, context);
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
  const { output: format } = options;
  const read = await readManifests(options.filename, { recursive: options.recursive === true, stdin });
  if (read.problems.length > 0) return refuse(read.problems, terminal);
  if (read.manifests.length === 0) throw new Error("no objects passed to plan");

  const reader = readOnlyClient(client);
  const [gathered, profiles] = await Promise.all([
    gatherNodeTuning({ client: reader, namespace: tuningNamespace, now: Date.now(), signal }),
    gatherProfiles(reader, signal),
  ]);
  const { namespace = "default" } = options;
  const absent = [
    ...(gathered.tuning.pools ? [] : ["MachineConfigPool"]),
    ...(profiles ? [] : [performanceProfileKind.kind]),
  ];
  const { writes, skipped, problems } = await dryRunAll(reader, read.manifests, { namespace, absent, signal });
  if (problems.length > 0) return refuse(problems, terminal);

  const cluster = await clusterState({ client: reader, gathered, profiles: profiles ?? [], writes, signal });
  const result = planChanges({ writes, cluster });
  if (result.type === "refused") return refuse(result.problems, terminal);
  const document = { ...result.plan, skipped };
  terminal.out(
    format === "json" || format === "yaml"
      ? await serialised(document, format)
      : planText(document, terminal.colours, { wide: format === "wide" }),
  );
  return changesAnything(document) ? 2 : 0;
}

async function clusterState(input: {
  readonly client: Client;
  readonly gathered: GatheredTuning;
  readonly profiles: readonly KubeObject[];
  readonly writes: readonly PlannedWrite[];
  readonly signal: AbortSignal;
}): Promise<ClusterState> {
  const { client, gathered, profiles, writes, signal } = input;
  const { tuning, nodes, profiles: tuned } = gathered;
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
    // Tuneds that are derived from PerformanceProfiles never go by labels of pods.
    tuning: { ...tuning, podsOn: await gatherPods(client, [...tuning.tuneds, ...tuneds], { signal }) },
  };
}

function refuse(problems: readonly string[], { err }: Terminal): number {
  err(problems.map((problem) => `error: ${printable(problem)}\n`).join(""));
  return 1;
}
