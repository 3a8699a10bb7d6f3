import type { MemoryHost } from "../../../node/host/memory-host.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { exampleSysctl, exampleTuned } from "./worked-example.ts";
import { profileKind, tuningNamespace, type Profile } from "../../../domain/node-tuning/api.ts";
import { findCondition } from "../../../language/object/condition.ts";
import { textTable } from "../terminal/text-table.ts";

/** How the worked example stands on one node: what was asked, what the node says, and what its kernel really holds. */
export interface NodeOutcome {
  readonly node: string;
  readonly profile: string;
  readonly applied: string;
  readonly degraded: string;
  readonly value: string;
  readonly message: string;
  readonly converged: boolean;
}

export async function outcomeOf(node: string, host: MemoryHost, profile: Profile | undefined): Promise<NodeOutcome> {
  const conditions = profile?.status?.conditions ?? [];
  const applied = findCondition(conditions, "Applied");
  const degraded = findCondition(conditions, "Degraded");
  const file = await host.read(exampleSysctl.path);
  const value = file.type === "text" ? file.text.trim() : "";
  const current = profile?.status?.observedGeneration === profile?.metadata.generation;
  const name = profile?.spec.config.tunedProfile ?? "";
  return {
    node,
    profile: name || "-",
    applied: (current && applied?.status) || "Unknown",
    degraded: (current && degraded?.status) || "Unknown",
    value,
    message: degraded?.status === "True" ? degraded.message : (applied?.message ?? "waiting for the node"),
    converged:
      current &&
      name === exampleTuned().metadata.name &&
      applied?.status === "True" &&
      degraded?.status === "False" &&
      value === exampleSysctl.value,
  };
}

const lookMs = 50;

/** Follows Profiles until every node has converged or the signal aborts; either way, tells how things stand. */
export async function converge(
  client: Client,
  hosts: ReadonlyMap<string, MemoryHost>,
  signal: AbortSignal,
): Promise<NodeOutcome[]> {
  const watching = new AbortController();
  const informer = createInformer(client, profileKind, { namespace: tuningNamespace });
  const look = (): Promise<NodeOutcome[]> =>
    Promise.all([...hosts].map(([node, host]) => outcomeOf(node, host, informer.get(`${tuningNamespace}/${node}`))));
  const run = informer.run(watching.signal);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<NodeOutcome[]>((resolve, reject) => {
      const settle = (outcomes: NodeOutcome[]): void => {
        if (outcomes.every(({ converged }) => converged) || signal.aborted) resolve(outcomes);
      };
      const check = (): void => void look().then(settle, reject);
      informer.subscribe(check);
      signal.addEventListener("abort", check, { once: true });
      // A kernel tells nobody of its settings: after a restart the Profiles say already what the nodes come to hold.
      timer = setInterval(check, lookMs);
      check();
    });
  } finally {
    clearInterval(timer);
    watching.abort();
    await run;
  }
}

export function outcomeTable(outcomes: readonly NodeOutcome[]): string {
  const { name, value } = exampleSysctl;
  return textTable(
    ["NODE", "PROFILE", "APPLIED", "DEGRADED", name.toUpperCase(), "WANTED", "MESSAGE"],
    outcomes.map((outcome) => [
      outcome.node,
      outcome.profile,
      outcome.applied,
      outcome.degraded,
      outcome.value,
      value,
      outcome.message,
    ]),
  );
}
