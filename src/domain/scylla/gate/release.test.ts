import { describe, expect, it } from "vitest";
import { readRelease, type Release, releaseConfigMap, releases } from "./release.ts";

const pod = { metadata: { name: "scylla-0", namespace: "db", uid: "42" } };

describe("release of a database", () => {
  it("is a ConfigMap with a plain reference to the pod and the label of its node config", () => {
    expect(
      releaseConfigMap(pod, { containerId: "containerd://a", irqCpus: "0,4-7", outcome: "tuned" }, "cluster"),
    ).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "perftune-42",
        namespace: "db",
        labels: { "scylla-operator.scylladb.com/node-config-name": "cluster" },
        annotations: { "scylla.attune.dev/outcome": "tuned" },
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "scylla-0", uid: "42" }],
      },
      data: { containerID: "containerd://a", irqCpus: "0,4-7" },
    });
  });

  it("is empty where nothing is tuned", () => {
    const { data, metadata } = releaseConfigMap(pod, { outcome: "skipped: no config selects its node" });
    expect({ data, labels: metadata.labels }).toEqual({ data: undefined, labels: undefined });
  });

  it.each<Release>([
    {},
    { containerId: "containerd://a", node: "n" },
    { outcome: "skipped: no CPU is left for interrupts" },
    { containerId: "cri-o://b", irqCpus: "", outcome: "tuned" },
  ])("reads back as it was written: %j", (release) => {
    expect(readRelease(releaseConfigMap(pod, release))).toEqual(release);
  });

  it.each([
    ["without data", undefined, true],
    ["with a blank container ID, written by hand", { containerID: " \n" }, true],
    ["with keys of its author's own", { note: "by hand" }, true],
    ["for this container", { containerID: "containerd://a" }, true],
    ["for this container, with a line break", { containerID: "containerd://a\n" }, true],
    // scylla W-13: existence alone cannot say for which container of the pod the node was tuned.
    ["by the agent of its node", { containerID: "containerd://a", node: "n" }, true],
    ["by the agent of another node", { containerID: "containerd://a", node: "other" }, false],
    ["by the agent of another node, for any container", { node: "other" }, false],
    ["for the container before a restart", { containerID: "containerd://b" }, false],
  ])("%s: the container starts: %s", (_, data, starts) => {
    const configMap = { ...releaseConfigMap(pod, {}), ...(data && { data: data as Record<string, string> }) };
    expect(releases(readRelease(configMap), { containerId: "containerd://a", node: "n" })).toBe(starts);
  });

  it("shows nothing that a terminal obeys, and nothing without end", () => {
    const data = { containerID: "\u001b[2J\rcontainerd://a" };
    const written = releaseConfigMap(pod, { outcome: "x".repeat(100_000) });
    const { containerId, outcome } = readRelease({ ...written, data });
    expect(containerId).toBe("\\u001b[2J\\u000dcontainerd://a");
    expect(outcome).toHaveLength(8192);
  });
});
