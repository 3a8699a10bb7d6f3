import { expect, it, vi } from "vitest";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Profile, profileKind, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { coloursOf } from "../terminal/terminal.ts";
import { testCluster } from "../testing/test-cluster.ts";
import { systemNamespace } from "../../operator/names.ts";
import { exampleLabel, exampleTuned } from "../up/worked-example.ts";
import { statusOf } from "./status.ts";

const at = "2026-01-01T00:00:00Z";

async function clusterWithNodes() {
  const cluster = await testCluster();
  const { client } = cluster;
  for (const name of ["a", "b"]) {
    const labels = { "kubernetes.io/os": "linux", ...(name === "a" ? { [exampleLabel]: "" } : {}) };
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
    const conditions = [{ type: "Ready", status: "True" }];
    await client.patch(
      kinds.node,
      name,
      { type: "merge", patch: { status: { conditions } } },
      { subresource: "status" },
    );
  }
  await client.create(tunedKind, exampleTuned());
  cluster.runOperator();
  return cluster;
}

type Cluster = Awaited<ReturnType<typeof clusterWithNodes>>;

async function report(
  { client }: Cluster,
  name: string,
  ...conditions: [type: string, status: string][]
): Promise<void> {
  let profile: Profile | undefined;
  await vi.waitFor(async () => (profile = await client.get(profileKind, name, { namespace: tuningNamespace })), {
    timeout: 100_000,
    interval: 20,
  });
  const status = {
    tunedProfile: profile?.spec.config.tunedProfile,
    observedGeneration: profile?.metadata.generation,
    conditions: conditions.map(([type, value]) => ({
      type,
      status: value,
      reason: "R",
      message: `${type} is ${value}`,
      lastTransitionTime: at,
    })),
  };
  const namespace = tuningNamespace;
  await client.patch(profileKind, name, { type: "merge", patch: { status } }, { namespace, subresource: "status" });
}

function screen() {
  const printed: string[] = [];
  const terminal = { out: (text: string) => void printed.push(text), err: () => {}, colours: coloursOf(false) };
  return { printed, terminal, text: () => printed.join("") };
}

const source = ({ client, signal }: Cluster) => ({
  client,
  namespace: tuningNamespace,
  system: systemNamespace,
  signal,
});

it("is what the operator and the agents of a cluster report, also as data", async () => {
  const cluster = await clusterWithNodes();
  await report(cluster, "a", ["Applied", "True"], ["Degraded", "True"]);
  await report(cluster, "b", ["Applied", "True"], ["Degraded", "False"]);
  const { terminal, text, printed } = screen();
  const { signal } = cluster;
  await statusOf(source(cluster), { output: "table", watch: false, by: "pool" }, { terminal, signal });
  expect(text()).toMatch(/^1 of 2 nodes are as wanted; 1 needs you; look at operator and webhook/);
  expect(text()).toMatch(/^a +quiet-memory +Degraded +\d+d +Degraded is True$/m);
  printed.length = 0;
  await statusOf(source(cluster), { output: "json", watch: false, by: "pool" }, { terminal, signal });
  expect(JSON.parse(text())).toMatchObject({
    summary: { nodes: 2, states: { Degraded: 1, "As wanted": 1 } },
    nodes: [
      { name: "a", profile: "quiet-memory", state: "Degraded", because: "Degraded is True", since: at },
      { name: "b", state: "As wanted" },
    ],
  });
});

it("is printed again, one line for each change, where there is no terminal", async () => {
  const cluster = await clusterWithNodes();
  await report(cluster, "a", ["Applied", "True"]);
  await report(cluster, "b", ["Applied", "True"]);
  const { terminal, printed, text } = screen();
  const stop = new AbortController();
  const { signal } = stop;
  const options = { output: "table", watch: true, by: "pool" } as const;
  const ended = statusOf({ ...source(cluster), signal }, options, { terminal, signal });
  await vi.waitFor(() => expect(text()).toMatch(/^All 2 nodes are as wanted/), { timeout: 100_000 });
  await report(cluster, "b", ["Applied", "True"], ["Drifted", "True"]);
  await vi.waitFor(() => expect(printed.slice(1).join("")).toContain("needs you"), { timeout: 100_000 });
  expect(printed.slice(1)).toContain("b   Drifted   openshift-node   Drifted is True\n");
  stop.abort();
  await ended;
});

it("is not printed again as data", async () => {
  const cluster = await testCluster();
  const { terminal } = screen();
  const options = { output: "json", watch: true, by: "pool" } as const;
  const { client, signal } = cluster;
  const from = { client, namespace: tuningNamespace, system: systemNamespace, signal };
  await expect(statusOf(from, options, { terminal, signal })).rejects.toThrow("--watch: not with -o json");
});
