import type { Client } from "../../src/cluster/kube/client.ts";
import { untyped } from "../../src/cluster/kube/kinds.ts";
import { type AgentDaemonSet, agentDaemonSetName } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { type Profile, profileKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { inputsOf } from "../../src/domain/node-tuning/node-profile.ts";
import { equal } from "../../src/language/object/json.ts";
import { possibleLine } from "../hosted/possible-line.ts";

const daemonSets = untyped("apps/v1", "DaemonSet", "daemonsets", true);
const status = { namespace, subresource: "status" };

/** Does the work of the agents and of the DaemonSet controller: every Profile is applied and reported. */
export async function playAgents(client: Client): Promise<void> {
  const profiles = (await client.list(profileKind, { namespace })).items;
  for (const profile of profiles) {
    const report = reportOf(profile);
    if (equal(profile.status, report)) continue;
    await client.patch(profileKind, profile.metadata.name ?? "", { type: "merge", patch: { status: report } }, status);
  }
  const found = (await client.list(daemonSets, { namespace })).items as AgentDaemonSet[];
  for (const daemonSet of found) await settleDaemonSet(client, daemonSet, profiles.length);
}

function reportOf({ metadata, spec }: Profile): NonNullable<Profile["status"]> {
  const condition = (type: string, status: "True" | "False"): object => ({
    type,
    status,
    reason: "AsExpected",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });
  return {
    tunedProfile: spec.config.tunedProfile,
    bootcmdline: possibleLine(spec).join(" "),
    bootcmdlineInputs: inputsOf(spec),
    conditions: [condition("Applied", "True"), condition("Degraded", "False")] as never,
    observedGeneration: metadata.generation,
  };
}

async function settleDaemonSet(client: Client, { metadata, status: before }: AgentDaemonSet, count: number) {
  const next = {
    observedGeneration: metadata.generation,
    desiredNumberScheduled: count,
    currentNumberScheduled: count,
    updatedNumberScheduled: count,
    numberAvailable: count,
    numberReady: count,
    numberMisscheduled: 0,
  };
  const known = (before ?? {}) as Record<string, unknown>;
  if (Object.entries(next).every(([field, value]) => (known[field] ?? 0) === value)) return;
  await client.patch(daemonSets, agentDaemonSetName, { type: "merge", patch: { status: next } }, status);
}
