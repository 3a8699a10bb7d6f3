import { omitUndefined } from "../../../language/object/json.ts";
import type { PlannedObject } from "../../../language/object/plan.ts";
import { mostBytes } from "../../hosted/envelope/read-manifests.ts";
import type { PoolReport } from "../../hosted/handover/pool-report.ts";
import { type PoolOrder, writeOrder } from "../../hosted/handover/pool-order.ts";
import type { Read } from "../../hosted/handover/strict-json.ts";
import { type Outcome, writableCondition } from "../conditions.ts";
import type { MachinesPlan } from "../machine-provider.ts";
import { type Management, managementOf } from "./management.ts";
import { planSecrets, userDataSecret } from "./payload-secrets.ts";
import type { RolloutInput, RolloutPlan } from "./rollout-plan.ts";
import { lastOrder, type Wanted, wantedOf } from "./target.ts";
import { reportOn } from "../reported.ts";
import { currentAnnotations, isFinished, progressOf, updatingOf } from "./updating.ts";

/** What brings the payload of a NodePool to its nodes: an order for the hosted cluster, Secrets, and machines. */
export function planRollout(input: RolloutInput): RolloutPlan {
  const { nodePool, controlPlane, isPaused } = input;
  const { name = "", annotations = {} } = nodePool.metadata;
  const management = managementOf(nodePool);
  const latest = wantedOf(input);
  const tooLarge = latest && sizeProblem(latest);
  const wanted = tooLarge ? lastOrder(name, controlPlane) : latest;
  const provision = providerOutcome(input, management);
  if (!wanted) {
    const outcomes = [management.outcome, provision, ...(tooLarge ? [tooLarge] : [])];
    return { objects: [], prunes: [], outcomes, annotations: {}, status: {} };
  }
  const read = reportOn(name, controlPlane);
  const report = read?.type === "read" ? read.value : undefined;
  const { full } = wanted.target;
  const isInPlace = management.upgradeType === "InPlace";
  const progress = isInPlace ? progressOf(full, report) : undefined;
  const current = annotations[currentAnnotations.full];
  const isDone = isInPlace && isFinished(nodePool, full, report);
  const machines = machinesOf(input, { wanted, management, progress, current: isDone ? full : current, report });
  const isComplete = !isPaused && (isInPlace ? isDone : machines?.isComplete === true);
  const updating = updatingOf({ nodePool, target: wanted.target, isComplete, progress });
  const secrets = isPaused ? undefined : planSecrets(input, wanted, current ?? "");
  const order = orderFor(input, { wanted, management, machines });
  return {
    objects: [order, ...(secrets?.objects ?? []), ...(machines?.objects ?? [])],
    prunes: [...(secrets?.prunes ?? []), ...(machines?.prunes ?? [])],
    outcomes: [
      management.outcome,
      machines?.problem === undefined ? provision : noProvider(machines.problem),
      tooLarge ?? payloadOutcome(full, read),
      ...(report ? [bootArgumentsOutcome(report), writableOutcome(report)] : []),
      ...updating.outcomes,
    ],
    annotations: updating.annotations,
    status: omitUndefined({
      version: updating.version,
      replicas: machines?.available ?? (isInPlace ? availableIn(report) : undefined),
    }),
    requeueAfterMs: secrets?.againInMs,
  };
}

function availableIn(report: PoolReport | undefined): number | undefined {
  return report && report.counts.total - report.counts.unavailable;
}

interface Surroundings {
  readonly wanted: Wanted;
  readonly management: Management;
}

function machinesOf(
  input: RolloutInput,
  {
    wanted,
    management,
    progress,
    current,
    report,
  }: Surroundings & {
    readonly progress: ReturnType<typeof progressOf>;
    readonly current: string | undefined;
    readonly report: PoolReport | undefined;
  },
): MachinesPlan | undefined {
  const { target } = wanted;
  return input.provider?.plan({
    ...input,
    userData: userDataSecret(input.nodePool.metadata.name ?? "", target.full),
    target: target.full,
    version: target.version,
    current,
    maxUnavailable: management.maxUnavailable,
    progress,
    updated: report?.target === target.full ? report.updated : [],
    observed: input.machines,
  });
}

function orderFor(
  { nodePool, namespace, isPaused }: RolloutInput,
  { wanted, management, machines }: Surroundings & { readonly machines: MachinesPlan | undefined },
): PlannedObject {
  const { name = "", namespace: poolNamespace = "", generation = 0 } = nodePool.metadata;
  const { upgradeType, maxUnavailable, drainTimeoutMs } = management;
  const order: PoolOrder = {
    nodePool: { namespace: poolNamespace, name, generation },
    upgradeType,
    maxUnavailable,
    paused: isPaused,
    ...(drainTimeoutMs === undefined ? {} : { drainTimeoutMs }),
    target: wanted.target,
    ...(machines?.nodes ? { nodes: machines.nodes } : {}),
    payload: wanted.payload,
  };
  const because = `nodes of NodePool ${name} get it`;
  return { owns: "whole", object: writeOrder(order, namespace), ownerless: true, because };
}

/** An API server stores no more than one mebibyte in a ConfigMap or Secret. */
const mostCharacters = 1_000_000;

/** The operator of the hosted cluster reads no more than `mostBytes`: rendered, it is one object there. */
function sizeProblem({ payload, bytes = 0 }: Wanted): Outcome | undefined {
  const tooLarge = (size: string, most: number): Outcome =>
    invalidPayload("PayloadTooLarge", `the ${size}, at most ${most} can be stored: shorten files`);
  if (bytes > mostBytes) return tooLarge(`configuration has ${bytes} bytes`, mostBytes);
  if (payload.length <= mostCharacters) return undefined;
  return tooLarge(`compressed configuration has ${payload.length} characters`, mostCharacters);
}

const payloadCondition = "ValidGeneratedPayload";

function invalidPayload(reason: string, message: string): Outcome {
  return { type: payloadCondition, status: "False", reason, message };
}

function payloadOutcome(target: string, read: Read<PoolReport> | undefined): Outcome {
  if (read?.type === "problem") return { ...invalidPayload("ReportUnreadable", read.problem), status: "Unknown" };
  if (read?.value.target === target && read.value.problems.length > 0)
    return invalidPayload("InvalidConfig", read.value.problems.join("; "));
  return { type: payloadCondition, status: "True", reason: "AsExpected", message: "Payload generated successfully" };
}

function bootArgumentsOutcome({ bootArguments }: PoolReport): Outcome {
  const type = "BootArgumentsAgreed";
  if (bootArguments === undefined) return { type, status: "True", reason: "AsExpected", message: "" };
  return { type, status: "False", reason: "ProfileConflict", message: bootArguments };
}

function writableOutcome({ refused }: PoolReport): Outcome {
  const type = writableCondition;
  if (refused === undefined) return { type, status: "True", reason: "AsExpected", message: "" };
  return { type, status: "False", reason: "WriteRefused", message: refused };
}

const missing =
  "machines cannot be replaced: no provider of machines is configured. Use spec.management.upgradeType InPlace, or start the management side with a provider";

function providerOutcome({ provider }: RolloutInput, { upgradeType }: Management): Outcome {
  return provider || upgradeType === "InPlace"
    ? { type: "NoMachineProvider", status: "False", reason: "AsExpected", message: "" }
    : noProvider(missing);
}

function noProvider(message: string): Outcome {
  return { type: "NoMachineProvider", status: "True", reason: "NoMachineProvider", message };
}
