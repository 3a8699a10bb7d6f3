import type { Lease } from "../../../cluster/runtime/leader/lease.ts";
import type { AgentDaemonSet } from "../../../domain/node-tuning/agent-daemon-set.ts";
import { type Condition, findCondition } from "../../../language/object/condition.ts";
import { humanDuration, parseTime } from "../../../language/object/time.ts";

/** One part of Attune on the cluster. */
export interface PartHealth {
  readonly part: "operator" | "webhook" | "agents";
  /** `unknown`: the user may not read what it depends on. */
  readonly state: "ok" | "bad" | "unknown";
  readonly text: string;
}

/** What could be read. `forbidden`: exists or not, the user may not know. */
export type Read<T> = T | undefined | "forbidden";

export interface SystemObjects {
  readonly lease: Read<Lease>;
  /** The operator's own conditions. */
  readonly conditions: Read<readonly Condition[]>;
  readonly daemonSet: Read<AgentDaemonSet>;
  /** Undefined: it runs outside of the cluster. */
  readonly webhookDeployment: Read<DeploymentFacts>;
  /** The webhooks that are registered with the API server. */
  readonly webhooks: Read<number>;
  /** The cluster is hosted: what nodes get is checked in its management cluster. */
  readonly isHosted?: boolean;
}

export interface DeploymentFacts {
  readonly wanted: number;
  readonly ready: number;
}

export function systemHealth(objects: SystemObjects, now: number): PartHealth[] {
  return [operatorHealth(objects, now), webhookHealth(objects), agentHealth(objects)];
}

function operatorHealth({ lease, conditions }: SystemObjects, now: number): PartHealth {
  const part = "operator";
  if (lease === "forbidden" || conditions === "forbidden") return noAccess(part);
  const { holderIdentity = "", renewTime = "", leaseDurationSeconds = 0 } = lease?.spec ?? {};
  if (holderIdentity === "") return { part, state: "bad", text: "no operator leads: it does not run" };
  const renewed = parseTime(renewTime) ?? 0;
  const age = now - renewed;
  if (age > leaseDurationSeconds * 1000) {
    const text = `no operator leads: ${holderOf(holderIdentity)} has not renewed its lease for ${humanDuration(age)}`;
    return { part, state: "bad", text };
  }
  const degraded = findCondition(conditions, "Degraded");
  if (degraded?.status === "True") return { part, state: "bad", text: `degraded: ${degraded.message}` };
  return { part, state: "ok", text: `${holderOf(holderIdentity)} leads` };
}

/** `attune-operator-7d9f-abcde_UUID`: the pod, or the host. */
function holderOf(identity: string): string {
  return identity.split("_")[0] ?? identity;
}

function webhookHealth({ webhooks, webhookDeployment, isHosted }: SystemObjects): PartHealth {
  const part = "webhook";
  if (!webhooks && isHosted)
    return {
      part,
      state: "ok",
      text: "not needed: NodePools of the management cluster say what is wrong with their ConfigMaps",
    };
  if (webhooks === "forbidden" || webhookDeployment === "forbidden") return noAccess(part);
  if (!webhooks) return { part, state: "bad", text: "not registered: objects are not checked when they are written" };
  const registered = `${webhooks} webhook${webhooks === 1 ? "" : "s"} registered`;
  if (!webhookDeployment) return { part, state: "ok", text: registered };
  const { ready, wanted } = webhookDeployment;
  return { part, state: ready > 0 ? "ok" : "bad", text: `${ready} of ${wanted} replicas are ready, ${registered}` };
}

function agentHealth({ daemonSet }: SystemObjects): PartHealth {
  const part = "agents";
  if (daemonSet === "forbidden") return noAccess(part);
  if (!daemonSet) return { part, state: "bad", text: "there are none: no operator has created them" };
  const { numberAvailable = 0, desiredNumberScheduled = 0 } = daemonSet.status ?? {};
  const state = numberAvailable === desiredNumberScheduled ? "ok" : "bad";
  return { part, state, text: `${numberAvailable} of ${desiredNumberScheduled} are available` };
}

function noAccess(part: PartHealth["part"]): PartHealth {
  return { part, state: "unknown", text: "no access: you may not read it" };
}
