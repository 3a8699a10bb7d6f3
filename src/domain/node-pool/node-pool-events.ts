import { type Condition, findCondition } from "../../language/object/condition.ts";
import { type PlannedEvent, referenceTo } from "../../language/object/plan.ts";
import type { NodePool } from "./api.ts";

type Told = Pick<PlannedEvent, "type" | "reason" | "message">;

/** What users of NodePools want to know at the moment when it happens. Conditions say how it is now. */
export function nodePoolEvents(nodePool: NodePool, after: readonly Condition[]): PlannedEvent[] {
  const regarding = referenceTo(nodePool);
  return after.flatMap((condition) => {
    const before = findCondition(nodePool.status?.conditions, condition.type);
    const told = eventOf(condition, before);
    return told ? [{ regarding, ...told, message: told.message || condition.type }] : [];
  });
}

function eventOf(now: Condition, before: Condition | undefined): Told | undefined {
  switch (now.type) {
    case "UpdatingConfig":
      return updateEvent("ConfigUpdate", now, before);
    case "UpdatingVersion":
      return updateEvent("VersionUpdate", now, before);
    case "ValidTuningConfig":
    case "ValidMachineConfig":
    case "ValidGeneratedPayload":
      return validityEvent(now, before);
    case "NoMachineProvider":
      return now.status === "True" && before?.status !== "True" ? warning(now.type, now.message) : undefined;
    default:
      return undefined;
  }
}

const failedReason = "InplaceUpgradeFailed";

function updateEvent(of: string, now: Condition, before: Condition | undefined): Told | undefined {
  const isFailed = now.reason === failedReason;
  const wasFailed = before?.reason === failedReason;
  const wasUpdating = before?.status === "True" || wasFailed;
  if (isFailed) return wasFailed ? undefined : warning(`${of}Failed`, now.message);
  // Goes on after a failure.
  if (now.status === "True") return wasUpdating ? undefined : normal(`${of}Started`, now.message);
  return wasUpdating ? normal(`${of}Completed`, "all nodes have it") : undefined;
}

function validityEvent(now: Condition, before: Condition | undefined): Told | undefined {
  const isInvalid = now.status === "False";
  const name = now.type.replace("Valid", "");
  if (isInvalid) return before?.message === now.message ? undefined : warning(`Invalid${name}`, now.message);
  return before?.status === "False" ? normal(now.type, "valid again") : undefined;
}

const normal = (reason: string, message: string): Told => ({ type: "Normal", reason, message });
const warning = (reason: string, message: string): Told => ({ type: "Warning", reason, message });
