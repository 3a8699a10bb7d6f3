import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import { agentDaemonSetName } from "../../src/domain/node-tuning/agent-daemon-set.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { allowedAnnotation, resourcesPrefix, warningAnnotation } from "../../src/domain/workload-partitioning/names.ts";
import { smallMachine } from "../../src/embedded/lab/machine-base.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import { namespaceWith } from "./identify.ts";
import { cores, PartitionedCluster, profile, target } from "./partitioned-cluster.ts";

const isLong = Boolean(process.env["ATTUNE_LONG"]);
if (!isLong) console.log("not run: the checks that OpenShift makes of a cluster (only with ATTUNE_LONG)");

const defaults = ["01-master-cpu-partitioning", "01-worker-cpu-partitioning"];
const resources = { requests: { cpu: "10m", memory: "50Mi" } };
const limited = { requests: { cpu: "20m", memory: "100Mi" }, limits: { cpu: "30m", memory: "100Mi" } };

interface Asked {
  readonly target: boolean;
  readonly resources: boolean;
  readonly cores: boolean;
  readonly warning: string;
}

/** What became of the request of a pod. */
function askedBy({ metadata: { annotations = {} }, spec }: Pod): Asked {
  const lists = spec?.containers?.flatMap((one) => [one.resources?.requests, one.resources?.limits]) ?? [];
  const withCores = lists.filter((list) => list?.[cores] !== undefined);
  expect([0, lists.length]).toContain(withCores.length);
  return {
    target: annotations[target] !== undefined,
    resources: Object.keys(annotations).some((key) => key.startsWith(resourcesPrefix)),
    cores: withCores.length > 0,
    warning: annotations[warningAnnotation] ?? "",
  };
}

const pinned: Asked = { target: true, resources: true, cores: true, warning: "" };
const ordinary: Asked = { target: false, resources: false, cores: false, warning: "" };

describe.runIf(isLong).each(["AllNodes", "None"])("a cluster with mode %s, as OpenShift checks it", (mode) => {
  it("has machine-configs, node-resource, platform-namespaces, annotated-namespace, unannotated-namespace, limits and platform-workloads as recorded", async () => {
    const isPartitioned = mode === "AllNodes";
    const topology = { ...smallMachine, runtime: "cri-o", kubelet: "openshift" } as const;
    const cluster = await PartitionedCluster.start({
      mode: "standalone",
      release: "current",
      status: { cpuPartitioning: mode, controlPlaneTopology: "HighlyAvailable" },
      machines: [{ name: "w1", roles: ["worker"], topology }],
      manifests: [profile("worker", { reserved: "0", isolated: "1-3" })],
    });
    const { admin } = cluster;
    await cluster.updated("worker", (sources) => sources.some((name) => name.startsWith("50-performance")));
    await cluster.until("the node is there", async () => (await cluster.node("w1"))?.status?.capacity !== undefined);
    if (isPartitioned) await cluster.hasCores("w1", "4k");
    const names = (await admin.list(machineConfigKind)).items.map(({ metadata }) => metadata.name ?? "");
    expect(names.filter((name) => defaults.includes(name))).toEqual(isPartitioned ? defaults : []);
    const { capacity, allocatable } = (await cluster.node("w1"))?.status ?? {};
    const amount = isPartitioned ? "4k" : undefined;
    expect([capacity?.[cores], allocatable?.[cores]]).toEqual([amount, amount]);

    const { metadata } = await admin.get(kinds.namespace, tuningNamespace);
    expect(metadata.annotations?.[allowedAnnotation]).toBe("management");
    const agent = await cluster.until("an agent runs", async () => {
      const { items } = await admin.list(kinds.pod, { namespace: tuningNamespace });
      return items.find(({ status }) => status?.phase === "Running");
    });
    const { spec } = await admin.get(kinds.daemonSet, agentDaemonSetName, { namespace: tuningNamespace });
    expect(spec?.template.metadata?.annotations).toHaveProperty([target]);
    expect(askedBy(agent)).toMatchObject(isPartitioned ? pinned : ordinary);
    expect(await cluster.group(agent, "cpuset.cpus", agent.spec?.containers[0]?.name)).toBe(
      isPartitioned ? "0" : "0-3",
    );

    await admin.create(kinds.namespace, namespaceWith("ordinary", {}));
    const annotated = await cluster.run("annotated", { resources });
    const unannotated = await cluster.run("unannotated", { resources, of: "ordinary" });
    const both = await cluster.run("limited", { resources: limited });
    const [asks, warning] = isPartitioned
      ? [pinned, expect.stringContaining(`namespace is not annotated with ${allowedAnnotation}`)]
      : [ordinary, ""];
    expect([annotated, unannotated, both].map(askedBy)).toEqual([asks, { ...ordinary, warning }, asks]);
    const given = both.metadata.annotations?.[`${resourcesPrefix}main`];
    expect(given && JSON.parse(given)).toEqual(isPartitioned ? { cpushares: 20, cpulimit: 30 } : undefined);
  }, 300_000);
});
