import type { MemoryHost } from "../../../node/host/memory-host.ts";
import { createInformer } from "../../../cluster/kube/informer/informer.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { exampleSysctl, exampleTuned } from "./worked-example.ts";
import { profileKind, tuningNamespace, type Profile } from "../../../domain/node-tuning/api.ts";
import { findCondition } from "../../../language/object/condition.ts";
import { textTable } from "../terminal/text-table.ts";

/** The state of the example on one node: its Profile, the status that the agent reports, and the value in the kernel. */
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

const pollMs = 50;

/** Watches Profiles until every node has converged or the signal aborts. Returns the last state. */
export async function converge(
  client: Client,
  hosts: ReadonlyMap<string, MemoryHost>,
  signal: AbortSignal,
): Promise<NodeOutcome[]> {
  const watching = new AbortController();
  const informer = createInformer(client, profileKind, { namespace: tuningNamespace });
  const read = (): Promise<NodeOutcome[]> =>
    Promise.all([...hosts].map(([node, host]) => outcomeOf(node, host, informer.get(`${tuningNamespace}/${node}`))));
  const run = informer.run(watching.signal);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<NodeOutcome[]>((resolve, reject) => {
      const settle = (outcomes: NodeOutcome[]): void => {
        if (outcomes.every(({ converged }) => converged) || signal.aborted) resolve(outcomes);
      };
      const check = (): void => void read().then(settle, reject);
      informer.subscribe(check);
      signal.addEventListener("abort", check, { once: true });
      // The kernel sends no events. After a restart the Profiles are up to date before the nodes are.
      timer = setInterval(check, pollMs);
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
