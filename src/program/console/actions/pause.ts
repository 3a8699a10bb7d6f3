import type { PauseAnswer } from "../../../../console/protocol/answers.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { nodePoolKind } from "../../../domain/node-pool/api.ts";
import { get, type JsonObject } from "../../../language/object/json.ts";
import { type ActionContext, RequestError } from "./action.ts";
import { fieldManager } from "./plan.ts";

/** Pauses a pool, or resumes it. A NodePool is paused until it is resumed, as HyperShift writes it: `pausedUntil: "true"`. */
export async function pause(body: JsonObject, { cluster }: ActionContext): Promise<PauseAnswer> {
  const { kind, name, namespace, paused } = body;
  if (typeof name !== "string" || typeof paused !== "boolean")
    throw new RequestError("a pool has a name, and is paused or not");
  const options = { fieldManager };
  if (kind === "MachineConfigPool") {
    await cluster.client.patch(machineConfigPoolKind, name, { type: "merge", patch: { spec: { paused } } }, options);
    return { paused };
  }
  if (kind !== "NodePool" || typeof namespace !== "string")
    throw new RequestError(`${String(get(body, "kind"))}: no kind of pool`);
  const patch = { spec: { pausedUntil: paused ? "true" : null } };
  await cluster.client.patch(nodePoolKind, name, { type: "merge", patch }, { ...options, namespace });
  return { paused };
}
