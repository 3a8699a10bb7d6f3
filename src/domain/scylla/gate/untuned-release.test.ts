import { describe, expect, it } from "vitest";
import { type ScyllaNodeConfig, scyllaNodeConfigKind } from "../api.ts";
import type { ScyllaPod } from "../scylla-pod.ts";
import { projectScyllaPod, responsibilityFor } from "./untuned-release.ts";

const { apiVersion, kind } = scyllaNodeConfigKind;
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
const every: ScyllaNodeConfig = { apiVersion, kind, metadata: { name: "every" }, spec: {} };
const off: ScyllaNodeConfig = { ...every, spec: { disableOptimizations: true } };

function pod(spec: object = {}, status: object = {}, metadata: object = {}): ScyllaPod {
  const labels = { "scylla-operator.scylladb.com/pod-type": "scylladb-node" };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "db", uid: "u", labels, ...metadata },
    spec: { nodeName: "n", containers: [{ name: "scylla" }], ...spec },
    status: { qosClass: "Guaranteed", ...status },
  };
}

describe("a database may start", () => {
  it.each<[string, ScyllaPod, ScyllaNodeConfig[], string]>([
    ["once it is tuned for", pod(), [every], "agent"],
    ["at once where no config selects its node", pod(), [], "operator"],
    ["at once where optimizations are disabled", pod(), [off], "operator"],
    ["at once without CPUs of its own", pod({}, { qosClass: "Burstable" }), [every], "operator"],
    ["later, while its class is not known", pod({}, { qosClass: undefined }), [every], "none"],
    ["later, while it has no node and no status (W scylla-operator#1033)", pod({ nodeName: "" }, {}), [], "none"],
    ["never, while it is deleted", pod({}, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), [], "none"],
    ["never, after it ended", pod({}, { phase: "Failed" }), [], "none"],
    ["without Attune, if it is no database", pod({ containers: [{ name: "other" }] }), [], "none"],
  ])("%s", (_, one, configs, by) => {
    expect(responsibilityFor({ pod: one, node, configs }).by).toBe(by);
  });

  it("not while its node is not known", () => {
    expect(responsibilityFor({ pod: pod(), node: undefined, configs: [] }).by).toBe("none");
  });
});

it("what is cached of a database decides the same", () => {
  for (const one of [pod(), pod({}, { qosClass: "Burstable" }), pod({ nodeName: "" })]) {
    const cached = projectScyllaPod(one)!;
    expect(responsibilityFor({ pod: cached, node, configs: [every] })).toEqual(
      responsibilityFor({ pod: one, node, configs: [every] }),
    );
  }
  expect(projectScyllaPod(pod({ containers: [] }))).toBeUndefined();
});
