import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import type { Repaired } from "../../src/node/engine/drift.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { profileKind, tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { profileStatus } from "../../src/node/on-node/report/profile-status.ts";
import { type OperatorOptions, runOperator } from "../../src/program/operator/operator.ts";
import { createPromMetrics } from "../../src/cluster/runtime/metrics/prom-metrics.ts";
import { VirtualClock } from "../../src/cluster/runtime/testing/virtual-clock.ts";
import { clientFor } from "../servers/client-for.ts";
import { freePort } from "../servers/program.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { eventually, gone } from "./eventually.ts";

const place = { namespace };
const drift = { target: "/proc/sys/vm/x", owner: "profile", from: "[sysctl] vm.x", expected: "1", found: "7" };

describe("the operator", () => {
  let server: ServerUnderTest;
  let admin: Client;

  beforeAll(async () => {
    server = await startEmbeddedServer();
    admin = clientFor(server);
    await applyManifests(admin, foundation());
  });
  afterAll(() => server?.close());

  async function running(options: Partial<OperatorOptions>, act: () => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const ended = runOperator({
      client: admin,
      signal: stop.signal,
      image: "attune:test",
      agentServiceAccount: "attune-agent",
      version: "1.2.3",
      leaderElection: false,
      ...options,
    });
    try {
      await Promise.race([act(), ended]);
    } finally {
      stop.abort();
      await ended;
    }
  }

  it("has metrics for its decisions and their results", async () => {
    const probeAddress = `127.0.0.1:${await freePort()}`;
    const get = async (path: string): Promise<string> => (await fetch(`http://${probeAddress}${path}`)).text();
    const shown = async (line: string): Promise<void> => {
      await expect.poll(async () => (await get("/metrics")).split("\n")).toContain(line);
    };
    await running({ probeAddress, metrics: await createPromMetrics() }, async () => {
      await expect.poll(() => get("/readyz").catch(() => "")).toMatch(/^ok/);
      expect(await get("/healthz")).toMatch(/^ok/);
      for (const name of ["a", "b"]) await admin.create(kinds.node, node(name));
      await shown('nto_profile_calculated_total{node="a",profile="openshift-node"} 1');
      await shown('nto_profile_calculated_total{node="b",profile="openshift-node"} 1');
      await shown('attune_profiles{condition="Applied",status="Unknown"} 2');
      for (const line of [
        'nto_build_info{version="1.2.3"} 1',
        "nto_pod_labels_used_info 0",
        "nto_invalid_tuned_exist_info 0",
        "nto_degraded_info 0",
        "attune_profile_apply_seconds_count 0",
        "attune_profiles_drifted 0",
      ])
        await shown(line);

      await report("a", []);
      await shown("attune_profile_apply_seconds_count 1");
      await shown('attune_profiles{condition="Applied",status="True"} 1');
      await report("a", [drift]);
      await shown("attune_profiles_drifted 1");
      await shown("attune_profile_apply_seconds_count 1");

      await admin.create(tunedKind, byPods("pods"), place);
      await shown("nto_pod_labels_used_info 1");
      await shown("nto_invalid_tuned_exist_info 1");

      await admin.delete(kinds.node, "b");
      await gone("the Profile", () => admin.get(profileKind, "b", place));
      await expect.poll(() => get("/metrics")).not.toContain('node="b"');
    });
  });

  it("records no event twice after a restart", async () => {
    const events = async (): Promise<string[]> =>
      (await admin.list(kinds.event, place)).items
        .filter(({ involvedObject }) => involvedObject.name === "pods")
        .map(({ reason, count, type, message }) => `${type} ${reason} ${count} ${message}`);
    const before = await events();
    expect(before).toEqual([
      expect.stringMatching(/^Warning InvalidConfiguration 1 recommend\[0\]\.match: labels of pods/),
    ]);
    await running({}, async () => {
      await admin.create(tunedKind, byPods("more-pods"), place);
      await eventually("reported", async () => {
        const { items } = await admin.list(kinds.event, place);
        return items.some(({ involvedObject }) => involvedObject.name === "more-pods");
      });
    });
    expect(await events()).toEqual(before);
  });

  it("notices kinds that are installed later, and logs it", async () => {
    const printed: string[] = [];
    const clock = new VirtualClock();
    await running({ clock, print: (line) => printed.push(line) }, async () => {
      await eventually("reported", async () => printed.length > 0);
      expect(printed).toEqual(["machine config pools: no, cluster operators: no"]);
      await applyManifests(admin, machineConfigCrds);
      await eventually("noticed", async () => {
        await clock.advance(1_000);
        return printed.length >= 3;
      });
      expect(printed.slice(1, 3)).toEqual([
        "the kinds of the cluster have changed: restarting controllers",
        "machine config pools: rolled out by Attune, cluster operators: no",
      ]);
    });
  });

  /** Writes what the node's agent would report. */
  async function report(name: string, drift: readonly Repaired[]): Promise<void> {
    const profile = await admin.get(profileKind, name, place);
    const status = profileStatus(
      profile,
      {
        outcome: { type: "applied", report: { settings: [], restored: [] }, warnings: [], troubles: [], drift },
        inForce: { tunedProfile: profile.spec.config.tunedProfile },
      },
      "2026-01-01T00:00:00Z",
    );
    await admin.patch(profileKind, name, { type: "merge", patch: { status } }, { ...place, subresource: "status" });
    await eventually("reported", async () => {
      const found = await admin.get(profileKind, name, place);
      return findCondition(found.status?.conditions, "Applied")?.status === "True";
    });
  }
});

function node(name: string): never {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels: { "kubernetes.io/os": "linux" } } } as never;
}

function byPods(name: string): never {
  return {
    apiVersion: tunedKind.apiVersion,
    kind: "Tuned",
    metadata: { name, namespace },
    spec: {
      profile: [{ name, data: "[main]\n" }],
      recommend: [{ profile: name, priority: 10, match: [{ label: "nowhere", type: "pod" }] }],
    },
  } as never;
}
