import { expect } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { scyllaNodeConfigKind } from "../../src/domain/scylla/api.ts";
import { sidecarCommand } from "../../src/domain/scylla/gate/sidecar.ts";
import {
  failureAnnotation,
  nodeLabel,
  releaseName,
  tuningNamespace as scyllaNamespace,
} from "../../src/domain/scylla/names.ts";
import { recordAnnotation } from "../../src/domain/scylla/on-node/tuning.ts";
import { scyllaPodLabels } from "../../src/domain/scylla/scylla-pod.ts";
import { partitioningConfigMap } from "../../src/domain/workload-partitioning/identifier.ts";
import { refusalEvent } from "../../src/domain/workload-partitioning/refusal-event.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { accessibilityFindings } from "./harness/accessible.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { looksRight } from "./harness/looks-right.ts";
import { clustersForAll } from "./harness/served-clusters.ts";

const clusters = clustersForAll("one");
const hostile = `<img src=x onerror="document.title='hacked'">\u202e`;

async function namespaces(...names: readonly string[]): Promise<void> {
  for (const name of names)
    await clusters.write("one", kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

function pod(
  namespace: string,
  name: string,
  more: { metadata?: KubeObject["metadata"]; spec: object; status?: object },
): never {
  return { apiVersion: "v1", kind: "Pod", ...more, metadata: { name, namespace, ...more.metadata } } as never;
}

browserTest("Partitioning shows what admission did with pods, and on which CPUs they run", async () => {
  await namespaces(tuningNamespace, "dns", "shop");
  const target = { "target.workload.openshift.io/management": '{"effect": "PreferredDuringScheduling"}' };
  const cores = {
    requests: { "management.workload.openshift.io/cores": "250" },
    limits: { "management.workload.openshift.io/cores": "250" },
  };
  await clusters.write("one", kinds.configMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...partitioningConfigMap },
    data: { cpuPartitioning: "AllNodes" },
  });
  await clusters.write("one", kinds.node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "worker-1", labels: { worker: "" } },
    status: { capacity: { cpu: "16" } },
  });
  await clusters.write("one", performanceProfileKind, {
    apiVersion: performanceProfileKind.apiVersion,
    kind: performanceProfileKind.kind,
    metadata: { name: "low-latency" },
    spec: { cpu: { reserved: "0-3,8", isolated: "4-7,9-15" }, nodeSelector: { worker: "" } },
  });
  await clusters.write(
    "one",
    kinds.pod,
    pod("dns", "dns-1", {
      metadata: { annotations: { ...target, "resources.workload.openshift.io/dns": '{"cpushares": 256}' } },
      spec: { nodeName: "worker-1", containers: [{ name: "dns", image: "x", resources: cores }] },
    }),
  );
  await clusters.write(
    "one",
    kinds.pod,
    pod("shop", "web", {
      metadata: { annotations: { "workload.openshift.io/warning": hostile } },
      spec: { containers: [{ name: "web", image: "x" }] },
    }),
  );
  const regarding = { apiVersion: "v1", kind: "Pod", metadata: { name: "bad-", namespace: "shop" } };
  const { reason, type, message } = refusalEvent({ regarding, rule: "effect-missing", message: hostile });
  const now = new Date().toISOString();
  const event = { reason, type, message, count: 3, firstTimestamp: now, lastTimestamp: now };
  await clusters.write("one", kinds.event, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "refused", namespace: "shop" },
    involvedObject: { apiVersion: "v1", kind: "Pod", name: "bad-", namespace: "shop" },
    ...event,
  });

  const { page } = await openPage(clusters.address("/partitioning"));
  await page
    .getByRole("heading", { level: 1, name: "AllNodes: 1 platform pod on reserved CPUs; 1 refused in 15 min" })
    .waitFor();
  const table = page.getByRole("grid", { name: "Decisions of admission" });
  const cells = async (): Promise<string[][]> =>
    Promise.all((await table.locator("tbody tr").all()).map((row) => row.locator("td").allInnerTexts()));
  const rows = (await cells()).map(([, name, rule, outcome]) => [name, rule, outcome?.trim().replace(/\s+/g, " ")]);
  expect(rows).toHaveLength(3);
  expect(rows).toContainEqual(["dns/dns-1", "rewritten", "on reserved CPUs"]);
  expect(rows).toContainEqual(["shop/bad-", "effect-missing", "refused 3 times"]);
  expect(rows).toContainEqual(["shop/web", "no-target", "warned"]);
  expect(await page.title()).not.toBe("hacked");
  const container = page.getByRole("list", { name: "Containers on worker-1" }).getByRole("listitem");
  expect(await container.innerText()).toMatch(/^dns\/dns-1\/dns asks for 250m\s+0-3,8$/);

  // What a person points at stays where it is.
  await table.hover();
  await clusters.write(
    "one",
    kinds.pod,
    pod("dns", "dns-2", {
      metadata: { annotations: { ...target, "resources.workload.openshift.io/dns": '{"cpushares": 256}' } },
      spec: { nodeName: "worker-1", containers: [{ name: "dns", image: "x", resources: cores }] },
    }),
  );
  await page.getByText("Held while you look: 1 new").waitFor();
  expect(await cells()).toHaveLength(3);
  await page.mouse.move(0, 0);
  await page.getByText("dns/dns-2", { exact: true }).waitFor();
  await looksRight(page, "partitioning");
});

browserTest("Scylla names the database that waits, the Job that failed, and how to open the gate by hand", async () => {
  await namespaces("db", scyllaNamespace);
  await clusters.write("one", scyllaNodeConfigKind, {
    apiVersion: scyllaNodeConfigKind.apiVersion,
    kind: scyllaNodeConfigKind.kind,
    metadata: { name: "cluster" },
    spec: { placement: { nodeSelector: { scylla: "" } } },
  });
  const node = (name: string) =>
    clusters.write("one", kinds.node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { scylla: "" } },
    });
  await node("scylla-3");
  await node("scylla-4");
  const inputs = {
    purpose: "databases",
    engine: "native",
    image: "x",
    bootId: "b",
    interfaces: [],
    directories: [],
    devices: [],
  };
  const record = { inputs: { ...inputs, cpus: "4-15", irqCpus: "0-3" }, sequence: 2, attempt: 2, pods: {} };
  await clusters.write("one", kinds.job, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "perftune-1",
      namespace: scyllaNamespace,
      labels: { [nodeLabel]: "scylla-3" },
      annotations: { [recordAnnotation]: JSON.stringify(record), [failureAnnotation]: `exit code 1: ${hostile}` },
    },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "perftune", image: "x" }] } } },
    status: {
      startTime: "2026-01-01T00:00:00Z",
      conditions: [
        { type: "FailureTarget", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" },
        { type: "Failed", status: "True", reason: "BackoffLimitExceeded", lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    },
  });
  const resources = { requests: { cpu: "2", memory: "1Gi" }, limits: { cpu: "2", memory: "1Gi" } };
  const database = await clusters.write<KubeObject>(
    "one",
    kinds.pod,
    pod("db", "db-2", {
      metadata: { labels: { ...scyllaPodLabels } },
      spec: {
        nodeName: "scylla-3",
        containers: [
          { name: "scylla", image: "x", resources },
          { name: "attune-scylla-gate", image: "x", resources, command: [...sidecarCommand] },
        ],
      },
      status: {
        phase: "Running",
        qosClass: "Guaranteed",
        containerStatuses: [
          {
            name: "scylla",
            image: "x",
            imageID: "x",
            ready: false,
            restartCount: 0,
            containerID: "containerd://8a",
            state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
          },
        ],
      },
    }),
  );
  const { page } = await openPage(clusters.address("/scylla"));
  await page
    .getByRole("heading", { level: 1, name: "Database db/db-2 waits: tuning of scylla-3 failed twice" })
    .waitFor();
  const [first, second] = await page.getByRole("grid", { name: "Nodes of databases" }).locator("tbody tr").all();
  const cells = (await first?.locator("td").allInnerTexts()) ?? [];
  expect(cells.slice(0, 4)).toEqual(["scylla-3", "cluster", "4-15", "0-3"]);
  expect(cells[4]).toContain("failed, 2 times");
  expect(cells[4]).toContain(`exit code 1: <img src=x onerror="document.title='hacked'">\\u202e`);
  expect(cells[5]).toContain("db/db-2: tuning of scylla-3 failed twice");
  expect(await second?.locator("td").allInnerTexts()).toEqual(["scylla-4", "cluster", "-", "-", "none", "no database"]);
  expect(await page.title()).not.toBe("hacked");
  await page.getByText("Open the gate by hand").click();
  const name = releaseName(database.metadata.uid ?? "");
  await page.getByText(`kubectl create configmap ${name} -n db`).waitFor();
  await looksRight(page, "scylla");
  await clusters.write("one", kinds.configMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "db" },
  });
  await page
    .getByRole("heading", { level: 1, name: "No database waits, but tuning of scylla-3 failed twice" })
    .waitFor();
});

browserTest("who may not read what a view is made of is told which right is missing", async () => {
  const { page } = await openPage(await clusters.addressAs("nobody", "/scylla"));
  const rules = [
    ["Scylla", "list scyllanodeconfigs.scylla.scylladb.com"],
    ["Partitioning", "list pods"],
    ["Rollout", "list machineconfigpools.machineconfiguration.openshift.io"],
    ["Clusters", "list nodepools.hypershift.openshift.io"],
  ] as const;
  for (const [view, rule] of rules) {
    await page.getByRole("link", { name: view, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: view, exact: true }).waitFor();
    await page.getByText(`Your account lacks the right to ${rule}`).waitFor();
    expect(await accessibilityFindings(page), view).toEqual([]);
  }
});
