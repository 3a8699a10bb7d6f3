import { cpusOf } from "../../src/language/cpu/cpu-list.ts";
import { apiVersion, type ScyllaNodeConfig } from "../../src/domain/scylla/api.ts";
import { decide, type OnNodeInput } from "../../src/domain/scylla/on-node/decide.ts";
import type { TuningJob } from "../../src/domain/scylla/on-node/job-progress.ts";
import type { ContainerFacts, NodeFacts } from "../../src/domain/scylla/on-node/node-facts.ts";
import type { ScyllaPod } from "../../src/domain/scylla/scylla-pod.ts";
import { deepFreeze } from "../../src/language/object/json.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import type { Plan } from "../../src/language/object/plan.ts";

export const config: ScyllaNodeConfig = {
  apiVersion,
  kind: "ScyllaNodeConfig",
  metadata: { name: "cluster", uid: "cu" },
};

export const facts: NodeFacts = {
  bootId: "b",
  cpus: cpusOf("0-7"),
  interfaces: [{ name: "eth0", index: 2 }],
  blockDevices: ["nvme0n1"],
  paths: [],
  onGke: false,
};

/** A pod whose database runs in the container `containerd://NAME`. */
export function podOf(name: string, more: { metadata?: object; status?: object } = {}): ScyllaPod {
  const running = { name: "scylla", containerID: `containerd://${name}`, state: { running: {} } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "db",
      uid: `u-${name}`,
      labels: { "scylla-operator.scylladb.com/pod-type": "scylladb-node" },
      ...more.metadata,
    },
    // At least as many CPUs as tests give it.
    spec: { containers: [{ name: "scylla", resources: { limits: { cpu: "256" } } }] },
    status: { phase: "Running", qosClass: "Guaranteed", containerStatuses: [running], ...more.status },
  };
}

export function knownAs(cpus: string, directory = "/mnt/1"): ContainerFacts {
  return { type: "known", database: { cpus: cpusOf(cpus), directory, devices: ["nvme0n1"] } };
}

/** What is decided with a node of eight CPUs, and what is given here. */
export function decided(given: Partial<OnNodeInput>): Plan {
  return decide(
    deepFreeze({
      config,
      node: { name: "n", uid: "nu" },
      facts,
      pods: [],
      containers: new Map(),
      jobs: [],
      jobPods: [],
      released: new Map(),
      images: { perftune: "scylladb/scylla:2025.1.5", native: "attune:1" },
      nowMs: Date.parse("2026-01-01T01:00:00Z"),
      seenFailedMs: new Map(),
      unknownMs: new Map(),
      reported: undefined,
      ...given,
    }),
  );
}

/** The Job that a plan creates. */
export function jobIn({ objects }: Plan): KubeObject | undefined {
  return objects.find(({ owns, object }) => owns === "whole" && object.kind === "Job")?.object;
}

/** As the API server stores it. */
export function stored(job: KubeObject, status: TuningJob["status"] = {}): TuningJob {
  return { ...job, metadata: { ...job.metadata, uid: `uid-${job.metadata.name}` }, status };
}

export const complete: TuningJob["status"] = { conditions: [{ type: "Complete", status: "True" }] };

export function failedAt(lastTransitionTime: string): TuningJob["status"] {
  const reason = { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
  return { conditions: [{ type: "Failed", status: "True", lastTransitionTime, ...reason }] };
}

export function argumentsOf(job: KubeObject | undefined): string[] {
  const spec = job?.["spec"] as { template: { spec: { containers: { args: string[] }[] } } } | undefined;
  return spec?.template.spec.containers[0]?.args ?? [];
}
