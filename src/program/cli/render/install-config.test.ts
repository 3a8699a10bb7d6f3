import { describe, expect, it } from "vitest";
import { AssetFolders } from "./testing/asset-folders.ts";
import { bootstrapMachineConfig } from "../../../domain/workload-partitioning/bootstrap-machine-config.ts";

const profile = JSON.stringify({
  apiVersion: "performance.openshift.io/v2",
  kind: "PerformanceProfile",
  metadata: { name: "workers" },
  spec: { cpu: { isolated: "2-3", reserved: "0-1" }, nodeSelector: { "node-role.kubernetes.io/worker": "" } },
});
const pool = JSON.stringify({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "cnf" },
  spec: { nodeSelector: { matchLabels: { "node-role.kubernetes.io/cnf": "" } } },
});
const infrastructure = (status: object): string =>
  JSON.stringify({
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    spec: { platformSpec: { type: "BareMetal" } },
    status,
  });
const config = (more: object = {}): string =>
  JSON.stringify({
    apiVersion: "v1",
    metadata: { name: "lab" },
    baseDomain: "example.com",
    cpuPartitioningMode: "AllNodes",
    controlPlane: { name: "master", replicas: 2 },
    arbiter: { name: "arbiter", replicas: 1 },
    compute: [{ name: "worker", replicas: 2 }],
    platform: { none: {} },
    ...more,
  });

function folders(text: string, files: Record<string, string> = {}): AssetFolders {
  const made = new AssetFolders(files);
  made.write("lab.yaml", text);
  return made;
}

describe("render --install-config", () => {
  it("writes the Infrastructure, the defaults of every role, and pinning files of profiles", async () => {
    const given = folders(config(), { "profile.yaml": profile, "pool.yaml": pool });
    const outcome = await given.render({ installConfig: given.path("lab.yaml") });
    expect(outcome.code).toBe(0);
    const written = given.written();
    expect(written.get("cluster-infrastructure-02-config.yml")).toEqual({
      apiVersion: "config.openshift.io/v1",
      kind: "Infrastructure",
      metadata: { name: "cluster" },
      spec: {},
      status: {
        cpuPartitioning: "AllNodes",
        controlPlaneTopology: "HighlyAvailableArbiter",
        infrastructureTopology: "HighlyAvailable",
      },
    });
    for (const role of ["master", "worker", "arbiter", "cnf"])
      expect(written.get(`01_01-${role}-cpu-partitioning_workload_pinning_machineconfig.yaml`)).toEqual(
        bootstrapMachineConfig(role),
      );
    expect(JSON.stringify(written.get("workers_machineconfig.yaml"))).toContain("99-workload-pinning.conf");
  });

  it("writes an Infrastructure without partitioning by default, and no MachineConfigs", async () => {
    const given = folders("{}");
    // Neither folders of manifests nor the default folder are needed.
    const flags = { installConfig: given.path("lab.yaml"), assetInputDir: undefined };
    expect(await given.render(flags)).toEqual({ code: 0, stderr: [] });
    expect([...given.written().entries()]).toEqual([
      [
        "cluster-infrastructure-02-config.yml",
        expect.objectContaining({
          status: {
            cpuPartitioning: "None",
            controlPlaneTopology: "HighlyAvailable",
            infrastructureTopology: "HighlyAvailable",
          },
        }),
      ],
    ]);
  });

  it("writes the ConfigMap that stands in for the Infrastructure on plain clusters", async () => {
    const given = folders(config({ controlPlane: { replicas: 1 }, arbiter: null, compute: [] }));
    expect(await given.render({ installConfig: given.path("lab.yaml"), plain: true })).toMatchObject({
      code: 0,
    });
    expect([...given.written().values()]).toEqual([
      expect.objectContaining({
        kind: "ConfigMap",
        data: {
          cpuPartitioning: "AllNodes",
          controlPlaneTopology: "SingleReplica",
          infrastructureTopology: "SingleReplica",
        },
      }),
    ]);
  });

  it("keeps the other fields of an Infrastructure among the manifests, and refuses one that says something else", async () => {
    const same = folders(config(), { "i.yaml": infrastructure({ infrastructureName: "lab-1" }) });
    expect(await same.render({ installConfig: same.path("lab.yaml") })).toMatchObject({ code: 0 });
    expect(same.written().get("cluster-infrastructure-02-config.yml")).toMatchObject({
      spec: { platformSpec: { type: "BareMetal" } },
      status: { infrastructureName: "lab-1", cpuPartitioning: "AllNodes" },
    });
    const other = folders(config(), { "i.yaml": infrastructure({ cpuPartitioning: "None" }) });
    expect(await other.render({ installConfig: other.path("lab.yaml") })).toEqual({
      code: 1,
      stderr: [
        'error: lab.yaml: status.cpuPartitioning of Infrastructure cluster among the manifests is "None", not AllNodes',
      ],
    });
    expect(other.names()).toEqual([]);
  });

  it.each<[string, string]>([
    [config({ cpuPartitioningMode: "Workers" }), "cpuPartitioningMode: Unsupported value"],
    [config({ cpuPartitioningMode: "" }), "cpuPartitioningMode: Unsupported value"],
    [config({ cpuPartitioningMode: "allnodes" }), "cpuPartitioningMode: Unsupported value"],
    [config({ cpuPartitioningMode: true }), "cpuPartitioningMode: Unsupported value"],
    [config({ cpuPartitioningMode: ["AllNodes"] }), "cpuPartitioningMode: Unsupported value"],
    [
      config({ cpupartitioningmode: "AllNodes" }),
      "cpupartitioningmode: unknown field: did you mean cpuPartitioningMode?",
    ],
    [config({ controlPlane: { replicas: 0 } }), "controlPlane.replicas: Invalid value"],
    [config({ controlPlane: { replicas: 1.5 } }), "controlPlane.replicas: Invalid value"],
    [config({ controlPlane: { replicas: "3" } }), "controlPlane.replicas: Invalid value"],
    [config({ controlPlane: [] }), "controlPlane: Invalid value"],
    [config({ compute: { replicas: 3 } }), "compute: Invalid value"],
    [config({ compute: [{ replicas: -1 }] }), "compute[0].replicas: Invalid value"],
    [config({ arbiter: { replicas: -1 } }), "arbiter.replicas: Invalid value"],
    ["[]", "not an object"],
    ["AllNodes", "not an object"],
    ["", "empty"],
    ["a: [", "lab.yaml"],
    [`${config()}\n---\n${config()}`, "several documents"],
  ])("refuses %j and names the field", async (text, problem) => {
    const given = folders(text, { "profile.yaml": profile });
    const { code, stderr } = await given.render({ installConfig: given.path("lab.yaml") });
    expect([code, stderr.filter((line) => line.startsWith("error: lab.yaml"))]).toEqual([
      1,
      [expect.stringContaining(problem)],
    ]);
    expect(given.names()).toEqual([]);
  });

  it("says which file it could not read, and what excludes each other", async () => {
    const given = folders("{}");
    await expect(given.render({ installConfig: given.path("gone.yaml") })).rejects.toThrow(
      /--install-config .*gone.yaml: ENOENT/,
    );
    await expect(given.render({ installConfig: "" })).rejects.toThrow(
      "--install-config: the name of the file is empty",
    );
    await expect(given.render({ installConfig: "a", mcpName: "worker" })).rejects.toThrow("exclude each other");
  });
});
