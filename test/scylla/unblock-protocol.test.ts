import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { apiVersion, type ScyllaNodeConfig } from "../../src/domain/scylla/api.ts";
import { decideGate } from "../../src/domain/scylla/gate/decide-gate.ts";
import { readRelease, releaseConfigMap } from "../../src/domain/scylla/gate/release.ts";
import { responsibilityFor } from "../../src/domain/scylla/gate/untuned-release.ts";
import { complete, decided, jobIn, knownAs, podOf, stored } from "../scylla-agent/decide-input.ts";

interface Different {
  readonly id: string;
  readonly because?: string;
}
interface WriterCase extends Different {
  readonly pod?: { readonly nodeName?: string; readonly labels?: object; readonly deletionTimestamp?: string };
  readonly node?: "missing";
  readonly configs: readonly { name: string; tuned?: boolean; disableOptimizations?: boolean }[];
  readonly started?: boolean;
  readonly by: string;
  readonly written?: boolean;
}
interface GateCase extends Different {
  readonly container?: string;
  readonly data?: Record<string, string>;
  readonly opens: boolean;
}

const { configMap, writers, gate, notApplicable } = parse(
  readFileSync(join(import.meta.dirname, "../fixtures/scylla/unblock-protocol.yaml"), "utf8"),
) as {
  configMap: { pod: object; config: string; name: string; labels: object; owner: object };
  writers: WriterCase[];
  gate: GateCase[];
  notApplicable: Record<string, string>;
};

it("the ConfigMap of a pod has its uid in its name, and goes with it", () => {
  const { pod, config, name, labels, owner } = configMap;
  const { metadata } = releaseConfigMap({ metadata: pod }, {}, config);
  expect(metadata).toMatchObject({ name, labels, namespace: "foo", ownerReferences: [owner] });
});

describe("who lets a database start", () => {
  it.each(writers)("$id", ({ pod: given = {}, node: isThere, configs: rows, started = true, by, written }) => {
    const { nodeName = "n", ...metadata } = given;
    const base = podOf("a", { metadata, status: started ? {} : { containerStatuses: [] } });
    const pod = { ...base, spec: { ...base.spec, nodeName } };
    const configs = rows.map(({ name, disableOptimizations = false }): ScyllaNodeConfig => ({
      apiVersion,
      kind: "ScyllaNodeConfig",
      metadata: { name, uid: name },
      spec: { placement: { nodeSelector: {} }, disableOptimizations },
    }));
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
    const found = responsibilityFor({ pod, node: isThere ? undefined : node, configs });
    expect(found.by === "agent" ? `agent ${found.config}` : found.by).toBe(by);
    const [config] = configs;
    if (written === undefined || !config) return;
    const containers = new Map([["containerd://a", knownAs("0-1")]]);
    const job = jobIn(decided({ config, pods: [podOf("a")], containers }))!;
    const jobs = [stored(job, rows[0]?.tuned === true ? complete : {})];
    const { objects } = decided({ config, pods: [pod], containers, jobs });
    expect(objects.some(({ object }) => object.kind === "ConfigMap")).toBe(written);
  });
});

describe("a gate", () => {
  it.each(gate)("$id", ({ container = "a", data, opens }) => {
    const status = {
      name: "scylla",
      containerID: container,
      state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
    };
    const decision = decideGate({
      starts: [{ id: "1", at: 0 }],
      openings: [],
      pod: { spec: { nodeName: "n" }, status: { containerStatuses: [status] } },
      release: data && readRelease({ apiVersion: "v1", kind: "ConfigMap", metadata: {}, data }),
      now: 0,
    });
    expect(decision.type).toBe(opens ? "open" : "wait");
  });
});

it("every case that differs, or has no meaning here, is in docs/scylla-parity.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/scylla-parity.md"), "utf8");
  const different = [...writers, ...gate].flatMap(({ id, because }) => (because === undefined ? [] : [[id, because]]));
  expect(different.length).toBeGreaterThan(3);
  const rows = [...different, ...Object.entries(notApplicable)];
  expect(rows.filter(([id, why = ""]) => !page.includes(`| \`${id}\` |`) || !page.includes(why))).toEqual([]);
});
