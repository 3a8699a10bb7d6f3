import { isAlreadyExists, isConflict, isNotFound } from "../../kube/api-error.ts";
import type { Client, KindRef } from "../../kube/client.ts";
import { equal, type Json } from "../../../language/object/json.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import type {
  ObjectReference,
  Plan,
  PlannedEvent,
  PlannedObject,
  PlannedStatus,
} from "../../../language/object/plan.ts";
import { createMergePatch } from "../../../language/patch/merge-patch.ts";
import { applyBody, isApplied } from "./applied-fields.ts";
import type { Result } from "../controller/controller.ts";
import { forEachBounded } from "../for-each-bounded.ts";
import { type Log, noLog } from "../log/log.ts";
import { wholeUpdate } from "./whole-object.ts";

export interface ActDependencies {
  client: Client;
  kinds(apiVersion: string, kind: string): KindRef;
  /** The object in the cache, with metadata, the content of objects planned as `whole`, and status where one is planned. */
  observed(reference: ObjectReference): KubeObject | undefined;
  fieldManager: string;
  recorder?: { record(event: PlannedEvent): void } | undefined;
  /** Requests at the same time. Default 16. */
  concurrency?: number | undefined;
  /** No request starts after it aborts. */
  signal?: AbortSignal | undefined;
  log?: Log | undefined;
}

/** What was done. A reconcile can return it: `return act(plan, …)`. */
export interface ActResult extends Result {
  /** Objects created, updated or applied. */
  written: number;
  pruned: number;
  /** Statuses written. */
  statuses: number;
  /** Objects, prunes and statuses that needed no change. */
  unchanged: number;
}

/** Part of a plan failed. The rest was carried out, see `result`. */
export class ActError extends AggregateError {
  readonly result: ActResult;

  constructor(errors: readonly Error[], result: ActResult) {
    const first = errors.slice(0, 3).map((error) => error.message);
    const more = errors.length > 3 ? ` and ${errors.length - 3} more` : "";
    super(errors, `carry out plan: ${first.join("; ")}${more}`);
    this.name = "ActError";
    this.result = result;
  }
}

type Done = "written" | "pruned" | "statuses" | "unchanged";

/** A request to send. There is none for an object that is already as planned. */
interface Step {
  action: string;
  of: ObjectReference;
  because?: string | undefined;
  send(): Promise<Done>;
}

/**
 * Carries out a plan: objects, then prunes, then statuses, so that a client that reads a status finds the objects it
 * names. After a failure the other requests are still sent. A conflict is no failure: the result says `requeue`. Events that report
 * a write are recorded once it was made.
 * Call it in the same turn of the event loop in which the plan was decided, so that the caches are unchanged.
 */
export async function act(plan: Plan, dependencies: ActDependencies): Promise<ActResult> {
  const { recorder, concurrency = 16, signal, log = noLog } = dependencies;
  const result: ActResult = { written: 0, pruned: 0, statuses: 0, unchanged: 0 };
  if (plan.requeueAfterMs !== undefined) result.requeueAfterMs = plan.requeueAfterMs;
  const errors: Error[] = [];
  /** Objects of which the last write was not made. */
  const unwritten = new Set<string>();

  const stepsFor = <T>(items: readonly T[], stepFor: (item: T) => Step | undefined): Step[] => {
    const steps: Step[] = [];
    for (const item of items) {
      try {
        const step = stepFor(item);
        if (step) steps.push(step);
        else result.unchanged++;
      } catch (error) {
        errors.push(asError(error));
      }
    }
    return steps;
  };
  // All steps are made before anything is sent, from the caches that the decision saw. A status that was decided from one
  // state and compared with a later one would revert a later change, and the next pass would revert that.
  const phases = [
    stepsFor(plan.objects, (planned) =>
      planned.owns === "whole" ? wholeStep(planned, dependencies) : fieldsStep(planned, dependencies),
    ),
    stepsFor(plan.prunes, (reference) => pruneStep(reference, dependencies)),
    stepsFor(plan.statuses, (planned) => statusStep(planned, dependencies)),
  ];
  for (const steps of phases)
    await forEachBounded(steps, concurrency, async (step) => {
      unwritten.add(nameOf(step.of));
      if (signal?.aborted) return;
      try {
        result[await step.send()]++;
        unwritten.delete(nameOf(step.of));
        log.debug({ object: nameOf(step.of), because: step.because }, step.action);
      } catch (error) {
        if (isConflict(error) || isAlreadyExists(error)) {
          result.requeue = true;
          log.debug({ object: nameOf(step.of), error }, "conflict, will retry");
        } else {
          const { message } = asError(error);
          errors.push(new Error(`${step.action} ${nameOf(step.of)}: ${message}`, { cause: error }));
        }
      }
    });
  for (const { writtenTo, ...event } of plan.events)
    if (!unwritten.has(nameOf(writtenTo ?? event.regarding))) recorder?.record(event);

  if (errors.length > 0) throw new ActError(errors, result);
  signal?.throwIfAborted();
  return result;
}

function wholeStep(
  { object, absentAnnotations, ownerless, exactMetadata, because }: PlannedObject,
  dependencies: ActDependencies,
): Step | undefined {
  const { client, fieldManager, signal } = dependencies;
  const kind = dependencies.kinds(object.apiVersion, object.kind);
  const options = { namespace: object.metadata.namespace, fieldManager, signal };
  const observed = dependencies.observed(object);
  if (!observed) {
    const send = async (): Promise<Done> => {
      await client.create(kind, object, { ...options, ignoreResponse: true });
      return "written";
    };
    return { action: "create", of: object, because, send };
  }
  // An object that is being deleted cannot be kept; its deletion is an event, and the next pass creates it again.
  if (observed.metadata.deletionTimestamp && !(exactMetadata && observed.metadata.finalizers?.length)) return undefined;
  const update = wholeUpdate(object, observed, { absentAnnotations, ownerless, exactMetadata });
  if (!update) return undefined;
  const send = async (): Promise<Done> => changed(await client.update(kind, update, options), observed);
  return { action: "update", of: object, because, send };
}

function fieldsStep({ object, because }: PlannedObject, dependencies: ActDependencies): Step | undefined {
  const { client, fieldManager, signal } = dependencies;
  const kind = dependencies.kinds(object.apiVersion, object.kind);
  const observed = dependencies.observed(object);
  if (observed && isApplied(object, observed, fieldManager)) return undefined;
  const send = async (): Promise<Done> => {
    const { name = "", namespace } = object.metadata;
    const patch = { type: "apply", object: applyBody(object), force: true } as const;
    return changed(await client.patch(kind, name, patch, { namespace, fieldManager, signal }), observed);
  };
  return { action: "apply", of: object, because, send };
}

/** The server keeps the resourceVersion when a write changes nothing. */
function changed(answer: KubeObject | undefined, observed: KubeObject | undefined): Done {
  const version = answer?.metadata.resourceVersion;
  return version !== undefined && version === observed?.metadata.resourceVersion ? "unchanged" : "written";
}

function pruneStep(of: ObjectReference, dependencies: ActDependencies): Step | undefined {
  const { client, signal } = dependencies;
  const kind = dependencies.kinds(of.apiVersion, of.kind);
  const observed = dependencies.observed(of);
  const uid = of.metadata.uid ?? observed?.metadata.uid;
  // Never by name alone: another client may have created a new object of that name.
  if (uid === undefined || observed?.metadata.deletionTimestamp) return undefined;
  const send = async (): Promise<Done> => {
    const { name = "", namespace } = of.metadata;
    try {
      await client.delete(kind, name, {
        namespace,
        preconditions: { uid },
        propagationPolicy: "Background",
        signal,
      });
      return "pruned";
    } catch (error) {
      // A new object of that name is a conflict (uid precondition): the next pass decides about it.
      if (isNotFound(error)) return "unchanged";
      throw error;
    }
  };
  return { action: "delete", of, send };
}

/**
 * A merge patch without resourceVersion: status has one writer and names the generation it describes, so a concurrent
 * edit of spec must not make it fail. A patch against a stale cache may leave a field behind; the next event shows it
 * and the next patch removes it.
 */
function statusStep({ of, status }: PlannedStatus, dependencies: ActDependencies): Step | undefined {
  const { client, fieldManager, signal } = dependencies;
  const kind = dependencies.kinds(of.apiVersion, of.kind);
  const observed = dependencies.observed(of);
  if (!observed) return undefined;
  const before = observed["status"] ?? {};
  if (equal(before, status)) return undefined;
  const send = async (): Promise<Done> => {
    const { name = "", namespace } = of.metadata;
    const patch = { status: createMergePatch(before as Json, status as Json) };
    const options = { namespace, fieldManager, signal, subresource: "status" };
    try {
      const answer = await client.patch(kind, name, { type: "merge", patch }, options);
      return changed(answer, observed) === "unchanged" ? "unchanged" : "statuses";
    } catch (error) {
      // The object was deleted. For a kind without a status subresource the server also responds 404, but names no object.
      if (isNotFound(error) && error.details?.name !== undefined) return "unchanged";
      throw error;
    }
  };
  return { action: "write status of", of, send };
}

function nameOf(reference: ObjectReference): string {
  return `${reference.kind} ${keyOf(reference)}`;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
