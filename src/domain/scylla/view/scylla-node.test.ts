import { describe, expect, it } from "vitest";
import type { ScyllaNodeConfig } from "../api.ts";
import { sidecarCommand } from "../gate/sidecar.ts";
import { releaseConfigMap } from "../gate/release.ts";
import { failureAnnotation, nodeLabel } from "../names.ts";
import type { TuningJob } from "../on-node/job-progress.ts";
import { recordAnnotation } from "../on-node/tuning.ts";
import { type ScyllaPod, scyllaPodLabels } from "../scylla-pod.ts";
import { type ScyllaObjects, scyllaNodes } from "./scylla-node.ts";
import { scyllaSentence } from "./scylla-sentence.ts";

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels: { scylla: "" } } };
const config: ScyllaNodeConfig = {
  apiVersion: "scylla.scylladb.com/v1alpha1",
  kind: "ScyllaNodeConfig",
  metadata: { name: "cluster" },
  spec: { placement: { nodeSelector: { scylla: "" } } },
};
const pod: ScyllaPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "db-0", namespace: "db", uid: "u", labels: { ...scyllaPodLabels } },
  spec: {
    nodeName: "n1",
    containers: [
      { name: "scylla", resources: { limits: { cpu: "2" } } },
      { name: "attune-scylla-gate", command: [...sidecarCommand] },
    ],
  },
  status: {
    phase: "Running",
    qosClass: "Guaranteed",
    containerStatuses: [
      { name: "scylla", containerID: "containerd://8a", state: { running: { startedAt: "2026-01-01T00:00:00Z" } } },
    ],
  },
};

function job(sequence: number, attempt: number, state: "Complete" | "Failed" | "", text?: string): TuningJob {
  const empty = { interfaces: [], directories: [], devices: [] };
  const inputs = {
    purpose: "databases",
    engine: "native",
    image: "x",
    bootId: "b",
    cpus: "4-7",
    irqCpus: "0-3",
    ...empty,
  };
  const time = "2026-01-01T00:00:00Z";
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `perftune-${sequence}`,
      labels: { [nodeLabel]: "n1" },
      annotations: {
        [recordAnnotation]: JSON.stringify({ inputs, sequence, attempt, pods: {} }),
        ...(text === undefined ? {} : { [failureAnnotation]: text }),
      },
    },
    status: { conditions: state === "" ? [] : [{ type: state, status: "True", lastTransitionTime: time }] },
  };
}

function seen(more: Partial<ScyllaObjects>) {
  const nodes = scyllaNodes({
    nodes: [node],
    configs: [config],
    jobs: [],
    pods: [pod],
    release: () => undefined,
    ...more,
  });
  return { nodes, gate: nodes[0]?.gates[0], job: nodes[0]?.job, sentence: scyllaSentence(nodes) };
}

describe("a node of databases", () => {
  it("names the Job that failed, with the end of its log, and when its agent tries again", () => {
    const {
      nodes,
      job: found,
      gate,
      sentence,
    } = seen({
      jobs: [job(2, 2, "Failed", "exit code 1: line 1\nline \u001b[31m2"), job(1, 1, "Failed")],
    });
    expect(nodes[0]).toMatchObject({ node: "n1", config: "cluster", cpus: "4-7", irqCpus: "0-3" });
    expect(found).toEqual({
      name: "perftune-2",
      state: "failed",
      attempt: 2,
      message: "exit code 1: line 1\nline \\u001b[31m2",
      retryAt: "2026-01-01T00:02:00Z",
      command: "kubectl logs -n scylla-operator-node-tuning job/perftune-2",
    });
    expect(gate).toEqual({
      pod: "db/db-0",
      state: "waits",
      since: "2026-01-01T00:00:00Z",
      because: "tuning of n1 failed twice",
      command: "kubectl create configmap perftune-u -n db",
    });
    expect(sentence).toBe("Database db/db-0 waits: tuning of n1 failed twice");
  });

  it.each<[string, Partial<ScyllaObjects>, string]>([
    ["its Job", { jobs: [job(1, 1, "")] }, "Job perftune-1 tunes n1"],
    ["its agent", {}, "the agent of ScyllaNodeConfig cluster on n1 has not tuned for it yet"],
    ["the operator", { configs: [] }, "the operator lets it start: no ScyllaNodeConfig selects node n1"],
    [
      "a Job for its new container",
      { release: () => releaseConfigMap(pod, { containerId: "containerd://old" }) },
      "the node was tuned for another container of the pod, and is tuned again for this one",
    ],
  ])("a database waits for %s", (_, more, because) => {
    expect(seen(more).gate).toMatchObject({ state: "waits", because });
  });

  it("a ConfigMap of the container, or one made by hand, opens the gate", () => {
    const jobs = [job(1, 1, "Complete")];
    for (const release of [{ containerId: "containerd://8a" }, {}]) {
      const { gate, sentence } = seen({ jobs, release: () => releaseConfigMap(pod, release) });
      expect(gate?.state).toBe("open");
      expect(sentence).toBe("No database waits; 1 node is tuned");
    }
  });

  it("a pod without a gate waits for nothing, and other nodes are not shown", () => {
    const plain = { ...pod, spec: { ...pod.spec, containers: [{ name: "scylla" }] } };
    const other = { ...node, metadata: { name: "n2" } };
    const { nodes, gate } = seen({ nodes: [node, other], pods: [plain] });
    expect(gate?.state).toBe("no gate");
    expect(nodes).toHaveLength(1);
  });
});
