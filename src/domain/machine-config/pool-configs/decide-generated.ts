import { equal } from "../../../language/object/json.ts";
import { emptyPlan, type Plan, type PlannedEvent, referenceTo } from "../../../language/object/plan.ts";
import { findCondition } from "../../../language/object/condition.ts";
import { group, type MachineConfig } from "../api.ts";
import { generatedBy } from "../rendered-annotations.ts";
import { generate, type GenerateInput, type Outcome } from "./generate.ts";
import { type GeneratedKind, generatedName, isGeneratedName, type PoolConfig } from "./generated-kind.ts";
import { outcomeStatus } from "./outcome-status.ts";

/** On an object: the number in the name of its MachineConfig, as the machine config operator records it. Empty: none. */
const suffixAnnotation = `${group}/mc-name-suffix`;

export interface DecideInput<T extends PoolConfig> extends GenerateInput<T> {
  readonly now: string;
}

/** What to write for all objects of a kind. */
export interface GeneratedPlan {
  readonly plan: Plan;
  readonly metadata: readonly MetadataChange[];
}

export interface MetadataChange {
  /** `first`: a finalizer is there before its MachineConfig. `last`: it leaves after its MachineConfig. */
  readonly when: "first" | "last";
  readonly name: string;
  readonly resourceVersion: string | undefined;
  readonly finalizers: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

export function decideGenerated<T extends PoolConfig>(kind: GeneratedKind<T>, input: DecideInput<T>): GeneratedPlan {
  const { outcomes, machineConfigs } = generate(kind, input);
  const wanted = new Set(machineConfigs.map(({ metadata }) => metadata.name));
  const plan = emptyPlan();
  plan.objects = machineConfigs.map((object) => ({ owns: "whole", object, because: `${kind.kind.kind}s of the pool` }));
  plan.prunes = input.machineConfigs
    .filter((config) => !wanted.has(config.metadata.name) && isOurs(kind, config, input.objects))
    .map(referenceTo);
  for (const object of input.objects) {
    const outcome = outcomes.get(object.metadata.name ?? "");
    if (!outcome) continue;
    const status = outcomeStatus(object, outcome, input.now);
    plan.statuses.push({ of: referenceTo(object), status: { ...status } });
    plan.events.push(...refusalEvents(object, status));
  }
  return { plan, metadata: input.objects.flatMap((object) => metadataChange(kind, object, outcomes) ?? []) };
}

type Named = Pick<GeneratedKind, "word" | "kind">;

/** A MachineConfig of a user may have such a name: ours have a mark, and an object that owns or names them. */
function isOurs(kind: Named, { metadata }: MachineConfig, objects: readonly PoolConfig[]): boolean {
  const { name = "", annotations = {}, ownerReferences = [] } = metadata;
  if (!isGeneratedName(kind, name) || !Object.hasOwn(annotations, generatedBy)) return false;
  return (
    ownerReferences.some((owner) => owner.kind === kind.kind.kind && owner.apiVersion.startsWith(`${group}/`)) ||
    objects.some((object) => object.metadata.finalizers?.includes(name))
  );
}

/** Its finalizers and the recorded suffix; undefined if they are as they should be. Others' finalizers stay. */
function metadataChange(
  kind: Named,
  { metadata }: PoolConfig,
  outcomes: ReadonlyMap<string, Outcome>,
): MetadataChange | undefined {
  const { name = "", resourceVersion, finalizers = [], annotations = {} } = metadata;
  const outcome = outcomes.get(name);
  const isUsed = outcome !== undefined && (outcome.problems.length === 0 || outcome.kept.length > 0);
  const pools = isUsed ? outcome.pools : [];
  const wanted = [
    ...finalizers.filter((finalizer) => !isGeneratedName(kind, finalizer)),
    ...pools.map((pool) => generatedName(kind, pool)),
  ];
  const isRecorded = Object.hasOwn(annotations, suffixAnnotation);
  const record = isUsed && !isRecorded && isOldest(name, outcomes) ? { [suffixAnnotation]: "" } : {};
  if (equal(wanted, finalizers) && Object.keys(record).length === 0) return undefined;
  const when = finalizers.every((finalizer) => wanted.includes(finalizer)) ? "first" : "last";
  return { when, name, resourceVersion, finalizers: wanted, annotations: record };
}

/** In each of its pools. The machine config operator would give two objects with the same record the same MachineConfig. */
function isOldest(name: string, outcomes: ReadonlyMap<string, Outcome>): boolean {
  const pools = outcomes.get(name)?.pools ?? [];
  const older = [...outcomes].slice(
    0,
    [...outcomes.keys()].findIndex((other) => other === name),
  );
  return !older.some(([, outcome]) => outcome.pools.some((pool) => pools.includes(pool)));
}

/** An event when an object is refused, and when the reason changes. */
function refusalEvents(object: PoolConfig, status: NonNullable<PoolConfig["status"]>): readonly PlannedEvent[] {
  const [before, after] = [object.status, status].map((one) => findCondition(one?.conditions, "Accepted"));
  if (after?.status !== "False" || before?.message === after.message) return [];
  return [{ regarding: referenceTo(object), type: "Warning", reason: after.reason, message: after.message }];
}
