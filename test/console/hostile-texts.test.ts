import { expect } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { looksRight } from "./harness/looks-right.ts";
import { clustersForAll } from "./harness/served-clusters.ts";

const clusters = clustersForAll("hosted", "management");

/** Markup, text that is written backwards, emoji, and separators that end a line in some languages. */
const hostile = `<img src=x onerror="document.title='hacked'">\u202egnp.\u202c 👩‍👩‍👧‍👦 \u2028\u2029 ${"long".repeat(60)}`;
/** The longest that the API server accepts, without a place to break. */
const longName = (letter: string): string => letter.repeat(253);
const group = "machineconfiguration.openshift.io";
const labels = { "node-role.kubernetes.io/worker": "", "kubernetes.io/os": "linux" };
const time = "2026-01-01T00:00:00Z";
const condition = (type: string, status: "True" | "False") => ({
  type,
  status,
  reason: "Failed",
  message: hostile,
  lastTransitionTime: time,
});

browserTest("names of 253 letters and hostile texts stay text and fit, in every view that shows them", async () => {
  const namespaced = { apiVersion: "v1", kind: "Namespace" } as const;
  await clusters.write("hosted", kinds.namespace, { ...namespaced, metadata: { name: tuningNamespace } });
  await clusters.write("management", kinds.namespace, { ...namespaced, metadata: { name: "clusters" } });
  await clusters.write("hosted", machineConfigPoolKind, {
    apiVersion: machineConfigPoolKind.apiVersion,
    kind: machineConfigPoolKind.kind,
    metadata: { name: longName("p") },
    spec: { nodeSelector: { matchLabels: labels }, machineConfigSelector: {} },
    status: { machineCount: 1, conditions: [condition("RenderDegraded", "True"), condition("Degraded", "True")] },
  });
  const name = longName("n");
  const annotations = { [`${group}/state`]: "Degraded", [`${group}/reason`]: hostile };
  await clusters.write("hosted", kinds.node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels, annotations },
    status: { conditions: [{ type: "Ready", status: "True", reason: "x", message: "", lastTransitionTime: time }] },
  });
  await clusters.write("hosted", profileKind, {
    apiVersion: profileKind.apiVersion,
    kind: profileKind.kind,
    metadata: { name, namespace: tuningNamespace },
    spec: { config: { tunedProfile: longName("t") } },
    status: { tunedProfile: hostile, conditions: [condition("Applied", "False"), condition("Degraded", "True")] },
  });
  await clusters.write("management", nodePoolKind, {
    apiVersion: nodePoolKind.apiVersion,
    kind: nodePoolKind.kind,
    metadata: { name: longName("o"), namespace: "clusters" },
    spec: { clusterName: "a", replicas: 1, tuningConfig: [{ name: longName("c") }] },
    status: { conditions: [condition("ValidTuningConfig", "False"), condition("UpdatingConfig", "True")] },
  });

  const views = [
    ["/", name],
    [`/nodes/${name}`, name],
    ["/rollout", longName("p")],
    ["/clusters", longName("o")],
    ["/design", longName("p")],
  ] as const;
  for (const [path, shown] of views) {
    const { page } = await openPage(clusters.address(path));
    await page.getByText(shown).first().waitFor({ state: "attached" });
    await looksRight(
      page,
      `hostile-${path
        .replaceAll(/[^a-z]+/g, " ")
        .trim()
        .slice(0, 12)}`,
    );
    expect(await page.title(), path).not.toBe("hacked");
    expect(await page.locator("main img").count(), path).toBe(0);
    await page.close();
  }
});
