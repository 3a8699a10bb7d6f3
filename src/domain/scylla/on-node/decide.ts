import { cpusOf } from "../../../language/cpu/cpu-list.ts";
import { formatRanges, intersection } from "../../../language/cpu/cpu-set.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { emptyPlan, type Plan, type PlannedEvent, referenceTo } from "../../../language/object/plan.ts";
import type { ScyllaNodeConfig } from "../api.ts";
import { type ConfigMap, type Release, releaseConfigMap, releases } from "../gate/release.ts";
import type { ScyllaPod } from "../scylla-pod.ts";
import { type Database, databasesOf, type Problem } from "./databases.ts";
import { interruptCpus } from "./interrupt-cpus.ts";
import type { JobPod, TuningJob } from "./job-progress.ts";
import type { ContainerFacts, NodeFacts } from "./node-facts.ts";
import { nextStep, nodeJobs } from "./node-jobs.ts";
import { nodeReport, unknownIn } from "./node-report.ts";
import type { TunedPod, TuningRecord } from "./tuning.ts";
import { tuningJob } from "./tuning-job.ts";
import { reportTroubles, tuningFailed } from "./troubles.ts";
import { wantedInputs } from "./wanted-inputs.ts";

export interface OnNodeInput {
  /** The one that decides about the node. */
  readonly config: ScyllaNodeConfig;
  readonly node: { readonly name: string; readonly uid: string };
  readonly facts: NodeFacts;
  /** All Scylla pods of the node. */
  readonly pods: readonly ScyllaPod[];
  /** By id, as pods have it. */
  readonly containers: ReadonlyMap<string, ContainerFacts>;
  /** All tuning Jobs of the node, those of other ScyllaNodeConfigs too. */
  readonly jobs: readonly TuningJob[];
  /** Of these Jobs. */
  readonly jobPods: readonly JobPod[];
  /** By uid of the pod: what was released. */
  readonly released: ReadonlyMap<string, Release>;
  /** Of Jobs, by engine. */
  readonly images: { readonly perftune: string; readonly native: string };
  readonly nowMs: number;
  /** By uid of a Job: for how long the agent has seen that it failed. */
  readonly seenFailedMs: ReadonlyMap<string, number>;
  /** By id of an `UnknownDatabase`: for how long the node cannot tell its CPUs. */
  readonly unknownMs: ReadonlyMap<string, number>;
  /** What was last reported to the operator. */
  readonly reported: ConfigMap | undefined;
}

/** Something is not known: the node is asked again. A container that has just started is known a moment later. */
const askAgainMs = { first: 1000, later: 15_000 };
/** What is not known for this long is reported. */
const unknownMs = 30_000;

const notTunedYetReason = "NotTunedYet";
/** Reasons of events that are planned for as long as they are true. */
export const lastingReasons: ReadonlySet<string> = new Set([tuningFailed, notTunedYetReason]);

/**
 * The next step of tuning a node. One Job at a time tunes it for all its databases. A database is released once the node was tuned
 * for its CPUs and its data; what happens to its neighbours later does not close its gate again.
 */
export function decide(input: OnNodeInput): Plan {
  const { config, facts, images, jobPods } = input;
  const { engine = "perftune" } = config.spec ?? {};
  const jobs = nodeJobs(input.jobs, facts.bootId);
  const before = jobs.last?.record;
  const { found, unknown } = databasesOf({ ...input, before: before?.pods ?? {} });
  const irqCpus = interruptCpus(
    facts.cpus,
    found.map((one) => one.facts.cpus),
  );
  const isDone = jobs.last?.progress.type === "complete";
  const given = { engine, image: images[engine], facts, databases: found, irqCpus, before, isDone };
  const mayHaveAny = unknown.some(({ isThere }) => isThere);
  const wanted = mayHaveAny ? undefined : wantedInputs(given);
  const step = nextStep({ ...input, jobs, pods: jobPods, wanted, wantedFor: tunedPods(found) });

  const plan = emptyPlan();
  if (step.type === "create") plan.objects.push({ owns: "whole", object: jobOf(input, step.record) });
  if (step.type === "delete") plan.prunes.push(referenceTo(step.job));
  plan.prunes.push(...jobs.superseded.map(referenceTo));
  const lasting = unknown.filter(({ id }) => (input.unknownMs.get(id) ?? 0) >= unknownMs);
  const askAgain = lasting.length > 0 ? askAgainMs.later : askAgainMs.first;
  const delays = [...(unknown.length > 0 ? [askAgain] : []), ...(step.type === "wait" ? [step.ms] : [])];
  plan.requeueAfterMs = delays.length > 0 ? Math.min(...delays) : undefined;

  const waiting = found.filter((one) => !isReleased(one, input));
  const hasCpusLeft = irqCpus.length > 0 || mayHaveAny;
  for (const database of waiting) release(plan, input, { database, applied: jobs.applied?.record, hasCpusLeft });
  const stillWaiting = waiting.map(({ pod }) => pod);
  reportTroubles(plan, { config, jobs: input.jobs, jobPods, waiting: stillWaiting });
  if (lasting.length > 0 || unknownIn(input.reported) !== "")
    plan.objects.push({ owns: "whole", object: nodeReport(lasting, config, input.node) });
  plan.events.push(...lasting.map(notTunedYet));
  return plan;
}

function jobOf({ config, node, facts }: OnNodeInput, record: TuningRecord): KubeObject {
  return tuningJob({ config, node, record, paths: facts.paths });
}

function tunedPods(databases: readonly Database[]): Record<string, TunedPod> {
  return Object.fromEntries(
    databases.map(({ pod, facts }) => {
      const { cpus, directory, devices } = facts;
      return [pod.metadata.uid ?? "", { cpus: formatRanges(cpus), directory, devices }];
    }),
  );
}

/** A pod that ends or restarts waits for nothing. */
function isReleased(
  { pod, containerId }: Database,
  { released, node: { name: node } }: Pick<OnNodeInput, "released" | "node">,
): boolean {
  const found = released.get(pod.metadata.uid ?? "");
  return containerId === undefined || (found !== undefined && releases(found, { containerId, node }));
}

interface ReleaseInput {
  readonly database: Database;
  /** What is in force. */
  readonly applied: TuningRecord | undefined;
  readonly hasCpusLeft: boolean;
}

const sharedCpus =
  "it has no CPUs of its own, so interrupts may run on those that it uses: give its container a whole number of CPUs, and the kubelet cpuManagerPolicy static";

function release(plan: Plan, { config, node }: OnNodeInput, { database, applied, hasCpusLeft }: ReleaseInput): void {
  const { pod, containerId } = database;
  const publish = (irqCpus: string, outcome: string): void => {
    const release = { irqCpus, outcome, node: node.name, ...(containerId === undefined ? {} : { containerId }) };
    plan.objects.push({ owns: "whole", object: releaseConfigMap(pod, release, config.metadata.name) });
  };
  const writtenTo = referenceTo(releaseConfigMap(pod, {}));
  const report = (...of: [PlannedEvent["type"], string, string]): PlannedEvent => ({ ...event(pod, ...of), writtenTo });
  if (applied && isTunedFor(applied, database)) {
    const { irqCpus } = applied.inputs;
    publish(irqCpus, "tuned");
    plan.events.push(report("Normal", "Tuned", `its node was tuned; interrupts are on CPUs ${irqCpus}`));
    if (database.facts.cpus.length === 0) plan.events.push(report("Warning", "SharedCpus", sharedCpus));
  } else if (!hasCpusLeft) {
    const reason = "databases have all CPUs of the node, none is left for interrupts";
    publish("", `skipped: ${reason}`);
    plan.events.push(report("Warning", "NoCpusForInterrupts", `${reason}: the database starts without tuning`));
  }
}

/** Whether interrupts stay away from the CPUs of a database, and the disks with its data are tuned. */
function isTunedFor({ inputs }: TuningRecord, { facts }: Database): boolean {
  const { purpose, irqCpus, directories } = inputs;
  if (purpose !== "databases" || intersection(cpusOf(irqCpus), facts.cpus).length > 0) return false;
  return facts.directory === undefined || directories.includes(facts.directory);
}

function notTunedYet({ pod, reason }: Problem): PlannedEvent {
  return event(pod, "Warning", notTunedYetReason, `the node is not tuned for it: ${reason}`);
}

function event(pod: ScyllaPod, type: PlannedEvent["type"], reason: string, message: string): PlannedEvent {
  return { regarding: referenceTo(pod), type, reason, message };
}
