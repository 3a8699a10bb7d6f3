import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { LabCluster, namespace, phase } from "./lab-cluster.ts";

let cluster: LabCluster;
const node = "n";
beforeAll(async () => {
  cluster = await LabCluster.start();
  cluster.kubelets([node]);
});
afterAll(async () => cluster?.close());

const containers = (more: object): object[] => [{ name: "main", image: "example.com/x:1", ...more }];
const missing = [{ name: "A", valueFrom: { configMapKeyRef: { name: "missing", key: "a" } } }];
const started = [
  'Normal Pulled Container image "example.com/x:1" already present on machine',
  "Normal Created Container created",
  "Normal Started Container started",
];

async function eventsOf(name: string, count: number): Promise<string[]> {
  const { metadata } = (await cluster.pod(name))!;
  return cluster.eventually(async () => {
    const { items } = await cluster.admin.list(kinds.event, { namespace });
    const found = items.filter(({ involvedObject }) => involvedObject.uid === metadata.uid);
    for (const { source } of found) expect(source).toEqual({ component: "kubelet", host: node });
    return found.length >= count ? found.map(({ type, reason, message }) => `${type} ${reason} ${message}`) : undefined;
  });
}

describe("the events of a pod", () => {
  test.each([
    ["that runs", {}, started],
    [
      "that crashes",
      { metadata: { annotations: { "lab.attune.dev/exit-code": "1" } } },
      [...started, /^Warning BackOff Back-off restarting failed container main in pod .*_work\(.*\)$/],
    ],
    [
      "that lacks a variable",
      { containers: containers({ env: missing }) },
      ['Warning Failed Error: configmap "missing" not found'],
    ],
    [
      "that lacks a volume",
      { volumes: [{ name: "v", secret: { secretName: "missing" } }] },
      ['Warning FailedMount MountVolume.SetUp failed for volume "v" : secret "missing" not found'],
    ],
    [
      "that is turned away",
      { containers: containers({ resources: { requests: { cpu: "5" } } }) },
      [/^Warning OutOfcpu Node didn't have enough resource: cpu, /],
    ],
  ] as const)("%s", async (what, fields, wanted) => {
    const name = what.replaceAll(" ", "-");
    await cluster.createPod({ name, node, ...fields });
    const recorded = await eventsOf(name, wanted.length);
    expect(recorded.toSorted()).toEqual(
      wanted.map((line) => (typeof line === "string" ? line : (expect.stringMatching(line) as string))).toSorted(),
    );
  });

  test("that is deleted", async () => {
    const name = "deleted";
    await cluster.createPod({ name, node, metadata: { finalizers: ["example.com/hold"] } });
    await cluster.podThat(name, phase("Running"));
    await cluster.admin.delete(kinds.pod, name, { namespace });
    expect(await eventsOf(name, 4)).toContain("Normal Killing Stopping container main");
    const patch = { metadata: { finalizers: null } };
    await cluster.admin.patch(kinds.pod, name, { type: "merge", patch }, { namespace });
    await cluster.gone(name);
  });
});
