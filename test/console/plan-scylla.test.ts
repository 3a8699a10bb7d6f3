import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../src/domain/scylla/api.ts";
import { tuningNamespace } from "../../src/domain/scylla/names.ts";
import { scyllaPodLabels } from "../../src/domain/scylla/scylla-pod.ts";
import { planOn } from "../../src/program/cli/plan/plan.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { root } from "../architecture/imports.ts";
import { browserTest, openPage } from "./harness/browser-test.ts";
import { looksRight } from "./harness/looks-right.ts";
import { clustersForAll } from "./harness/served-clusters.ts";

const clusters = clustersForAll("one");
const file = join(root, "examples/scylla/scylla-node-config.yaml");

browserTest(
  "Plan shows of a ScyllaNodeConfig what attune plan shows: objects, nodes with agents, and databases",
  async () => {
    const { apiVersion } = scyllaNodeConfigKind;
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } };
    await clusters.write("one", kinds.namespace, namespace);
    const metadata = { name: "cluster" };
    const spec = { scyllaUtilsImage: "scylladb/scylla:2025.1.5" };
    await clusters.write("one", scyllaOperatorConfigKind, { apiVersion, kind: "ScyllaOperatorConfig", metadata, spec });
    const labels = { "kubernetes.io/os": "linux", "scylla-operator.scylladb.com/node-pool": "scylla" };
    for (const name of ["db-1", "db-2"])
      await clusters.write("one", kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
    const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };
    await clusters.write("one", kinds.pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "scylla-0", namespace: "default", labels: { ...scyllaPodLabels } },
      spec: { nodeName: "db-1", containers: [{ name: "scylla", image: "x", resources }] },
    });

    const terminal = new RecordingTerminal();
    const { signal } = new AbortController();
    const options = { filename: [file], output: "table", namespace: "default" } as const;
    await planOn(clusters.admin("one"), options, { terminal, stdin: () => Promise.resolve(""), signal });
    const told = ["an agent of ScyllaNodeConfig cluster comes", "tuned for, by ScyllaNodeConfig cluster"];
    for (const text of told) expect(terminal.stdout).toContain(text);
    expect(terminal.stdout).toContain("2 of 2 nodes change; none reboots");

    const { page } = await openPage(clusters.address("/plan"));
    const dropped = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(readFileSync(file, "utf8"))}], "config.yaml"));
    return data;
  })()`);
    await page.getByRole("textbox", { name: /^YAML/ }).dispatchEvent("drop", { dataTransfer: dropped });
    await page.getByRole("heading", { level: 1, name: "2 nodes change, none reboots" }).waitFor();
    await page.getByText("DaemonSet").first().waitFor();
    await page.getByRole("tab", { name: "Scylla 3" }).click();
    expect(await page.getByRole("region", { name: "Nodes: db-1, db-2" }).innerText()).toContain(told[0]);
    expect(await page.getByRole("region", { name: "Databases: default/scylla-0" }).innerText()).toContain(told[1]);
    await looksRight(page, "plan-scylla");

    await page.getByRole("button", { name: "Apply 1" }).click();
    await page.getByRole("heading", { level: 1, name: "1 object is applied" }).waitFor();
    const [stored] = (await clusters.admin("one").list(scyllaNodeConfigKind)).items;
    expect(stored?.metadata.name).toBe("cluster");
  },
);
