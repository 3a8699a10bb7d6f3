import type { Clock } from "../../../cluster/runtime/clock.ts";
import { refusalEvent } from "../../../domain/workload-partitioning/refusal-event.ts";
import type { ObjectReference, PlannedEvent } from "../../../language/object/plan.ts";
import type { AdmissionRequest, Decision } from "../handler.ts";

export interface RefusalEventsOptions {
  /** Never waits: reviews do not depend on events. */
  readonly record: (event: PlannedEvent) => void;
  readonly clock: Clock;
}

/** Objects of one namespace that one rule refused. */
interface Group {
  readonly names: Set<string>;
  lastAt: number;
  /** Stands for all further ones. */
  many: PlannedEvent | undefined;
}

const windowMs = 10 * 60_000;
/** Objects of a group that have an event of their own. */
const mostNames = 10;
const mostGroups = 1000;

/**
 * An event for each refused write, so that users see it where they look for their pods. Refused pods are tried again for ever,
 * under ever new names: the number of events depends on the number of namespaces and rules alone.
 */
export class RefusalEvents {
  readonly #options: RefusalEventsOptions;
  readonly #groups = new Map<string, Group>();

  constructor(options: RefusalEventsOptions) {
    this.#options = options;
  }

  /** Takes every answer, and records the refusals of writes that were meant. */
  readonly answered = (request: AdmissionRequest, decision: Decision): void => {
    if (decision.type !== "deny" || request.dryRun) return;
    const { verdict: { rule } = { rule: "refused" }, message } = decision;
    // An event could not be written there.
    if (rule === "namespace-not-found") return;
    const regarding = referenceTo(request);
    const group = this.#groupOf(`${request.namespace ?? ""} ${request.kind.kind} ${rule}`);
    const { name = "" } = regarding.metadata;
    const hasOwn = group.names.has(name) || group.names.size < mostNames;
    if (hasOwn) group.names.add(name);
    else group.many ??= refusalEvent({ regarding, rule, message, isOneOfMany: true });
    this.#options.record(hasOwn || !group.many ? refusalEvent({ regarding, rule, message }) : group.many);
  };

  #groupOf(key: string): Group {
    const now = this.#options.clock.monotonic();
    let group = this.#groups.get(key);
    this.#groups.delete(key);
    if (!group || now - group.lastAt > windowMs) group = { names: new Set(), lastAt: now, many: undefined };
    group.lastAt = now;
    this.#groups.set(key, group);
    const [oldest] = this.#groups.keys();
    if (this.#groups.size > mostGroups && oldest !== undefined) this.#groups.delete(oldest);
    return group;
  }
}

/** The pod of a controller has no name yet when it is reviewed, only the beginning of one. */
function referenceTo({ kind, name, namespace, object, operation }: AdmissionRequest): ObjectReference {
  const { generateName, uid } = object?.metadata ?? {};
  return {
    apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: {
      name: name || object?.metadata.name || generateName,
      ...(namespace ? { namespace } : {}),
      ...(operation === "CREATE" || uid === undefined ? {} : { uid }),
    },
  };
}
