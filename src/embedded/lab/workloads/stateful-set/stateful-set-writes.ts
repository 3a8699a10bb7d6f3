import { isAlreadyExists, isConflict } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { isNamespaceGoing, textOf } from "../pods/pod-writes.ts";
import { slowStart } from "../pods/slow-start.ts";
import type { StatefulSet } from "../workload-objects.ts";
import type { Action, Step } from "./decide-stateful-set.ts";

interface StatefulSetWrites {
  client: Client;
  recorder: { record(event: PlannedEvent): void };
  set: StatefulSet;
  signal: AbortSignal;
}

/** Carries the steps out: in order until one fails, or all at once for `podManagementPolicy: Parallel`. Returns the first error. */
export async function carryOut(steps: readonly Step[], writes: StatefulSetWrites): Promise<unknown> {
  const run = async (step: Step): Promise<void> => {
    for (const action of step.actions) await perform(action, step, writes);
  };
  if (writes.set.spec?.podManagementPolicy === "Parallel") {
    const { errors } = await slowStart(steps.length, (index) => run(steps[index]!));
    return errors[0];
  }
  try {
    for (const step of steps) await run(step);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function perform(action: Action, { pod }: Step, writes: StatefulSetWrites): Promise<void> {
  const { client, set, signal } = writes;
  const options = { namespace: set.metadata.namespace, signal };
  const name = `Pod ${pod.metadata.name}`;
  switch (action.type) {
    case "create claim": {
      const subject = `Claim ${action.claim.metadata.name} ${name}`;
      const create = (): Promise<unknown> => client.create(kinds.persistentVolumeClaim, action.claim, options);
      return recorded(writes, "Create", subject, create);
    }
    case "update claim":
      await client.update(kinds.persistentVolumeClaim, action.claim, options);
      return;
    case "create pod":
      return recorded(writes, "Create", name, () => client.create(kinds.pod, action.pod, options));
    case "update pod":
      return recorded(writes, "Update", name, () => client.update(kinds.pod, action.pod, options));
    case "delete pod": {
      const preconditions = { uid: action.pod.metadata.uid };
      const remove = (): Promise<unknown> =>
        client.delete(kinds.pod, pod.metadata.name ?? "", { ...options, preconditions });
      return recorded(writes, "Delete", name, remove);
    }
    default: {
      const error = new Error(action.because);
      record(writes, "Create", name, error);
      throw error;
    }
  }
}

async function recorded(
  writes: StatefulSetWrites,
  verb: string,
  subject: string,
  write: () => Promise<unknown>,
): Promise<void> {
  try {
    await write();
    record(writes, verb, subject);
  } catch (error) {
    if (!isAlreadyExists(error) && !isConflict(error) && !isNamespaceGoing(error)) record(writes, verb, subject, error);
    throw error;
  }
}

function record({ recorder, set }: StatefulSetWrites, verb: string, subject: string, error?: unknown): void {
  const [type, reason, outcome] = error
    ? (["Warning", `Failed${verb}`, `failed error: ${textOf(error)}`] as const)
    : (["Normal", `Successful${verb}`, subject.startsWith("Claim") ? "success" : "successful"] as const);
  const message = `${verb} ${subject} in StatefulSet ${set.metadata.name} ${outcome}`;
  recorder.record({ regarding: set, type, reason, message });
}
