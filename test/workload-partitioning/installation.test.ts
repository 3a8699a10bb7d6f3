import { describe, expect, it } from "vitest";
import { apiVersion, type MachineConfig, roleLabel } from "../../src/domain/machine-config/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { bootstrapMachineConfig } from "../../src/domain/workload-partitioning/bootstrap-machine-config.ts";
import { decideDefaults } from "../../src/domain/workload-partitioning/decide-defaults.ts";
import { partitioningStatus } from "../../src/domain/workload-partitioning/identifier.ts";
import { readInstallConfig } from "../../src/domain/workload-partitioning/install-config.ts";
import { arePartitioned, mayMigrate } from "../../src/domain/workload-partitioning/migration.ts";
import { crioPinning, kubeletPinning, pinningPaths } from "../../src/domain/workload-partitioning/pinning-files.ts";
import { filesOf, ignitionConfig } from "../../src/language/ignition/config.ts";
import { contentsOf, textFile } from "../../src/language/ignition/file-contents.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { renderAssets } from "../../src/program/cli/render/render-assets.ts";
import { sortAssets } from "../../src/program/cli/render/sort-assets.ts";
import { fixture } from "./cases.ts";
import { installationDifferences } from "./differences.ts";

interface Installer {
  readonly modes: Readonly<Record<string, { readonly given: object; readonly mode: string }>>;
  readonly topologies: Readonly<
    Record<string, { readonly replicas: [number | null, (number | null)[], number | null]; readonly is: string[] }>
  >;
}

interface Pinning {
  readonly render: Readonly<Record<string, RenderCase>>;
  readonly bootstrap: Readonly<Record<string, [path: string, base64: string][]>>;
  readonly produced: Readonly<Record<string, { readonly mode: string | null; readonly files: number }>>;
  readonly migration: Readonly<Record<string, MigrationCase>>;
}

interface RenderCase {
  readonly name?: string;
  readonly status?: object;
  readonly pools?: readonly string[];
  /** Of PerformanceProfiles: the roles that they select, and the CPUs that they reserve. */
  readonly profiles?: Readonly<Record<string, string>>;
  /** Whether a MachineConfig of a user has the kubelet's file. */
  readonly legacy?: boolean;
  readonly roles: readonly string[];
}

interface MigrationCase {
  readonly mode: string;
  readonly topology: string;
  readonly nodes: readonly { readonly capacity?: boolean; readonly allocatable?: boolean }[];
  readonly becomes: string;
}

const installer = fixture<Installer>("infrastructure-installer");
const pinning = fixture<Pinning>("nto-workload-pinning");

describe("recorded install configs", () => {
  it.each(Object.entries(installer.modes))("%s", (id, { given, mode }) => {
    const read = readInstallConfig(given);
    expect(read.type === "problems" ? read.type : read.status.cpuPartitioning).toBe(
      installationDifferences[id] ?? mode,
    );
  });

  it.each(Object.entries(installer.topologies))("%s", (_, { replicas: [controlPlane, workers, arbiters], is }) => {
    const [controlPlaneTopology, infrastructureTopology] = is;
    const pool = (replicas: number | null): object => ({ replicas });
    const arbiter = arbiters === null ? {} : { arbiter: pool(arbiters) };
    const config = { controlPlane: pool(controlPlane), compute: workers.map(pool), ...arbiter };
    expect(readInstallConfig(config)).toMatchObject({ status: { controlPlaneTopology, infrastructureTopology } });
  });
});

const both = [pinningPaths.kubelet, pinningPaths.crioDefault];
const kubeletFile = textFile(pinningPaths.kubelet, 0o644, kubeletPinning("0"));

describe("recorded default MachineConfigs", () => {
  it.each(Object.entries(pinning.produced))("%s", (_, { mode, files }) => {
    const status = mode === null ? {} : { cpuPartitioning: mode };
    const identifier = { apiVersion: "", kind: "Infrastructure", metadata: {}, status };
    const { objects } = decideDefaults({ identifier, pools: [], machineConfigs: [] });
    const [first] = objects.map(({ object }) => object as MachineConfig);
    expect(filesOf(first?.spec?.config)).toHaveLength(files);
  });

  it.each(Object.entries(pinning.render))(
    "%s",
    (_, { name = "cluster", status, pools = [], profiles = {}, legacy = false, roles }) => {
      const own = {
        metadata: { name: "02-master", labels: { [roleLabel]: "master" } },
        spec: { config: ignitionConfig([kubeletFile]) },
      };
      const profileOf = ([role, reserved]: [string, string]): KubeObject => ({
        apiVersion: performanceProfileKind.apiVersion,
        kind: "PerformanceProfile",
        metadata: { name: role },
        spec: { cpu: { reserved, isolated: "0-1" }, nodeSelector: { [`node-role.kubernetes.io/${role}`]: "" } },
      });
      const objects: KubeObject[] = [
        ...(status
          ? [{ apiVersion: "config.openshift.io/v1", kind: "Infrastructure", metadata: { name }, status }]
          : []),
        ...pools.map((pool) => ({ apiVersion, kind: "MachineConfigPool", metadata: { name: pool } })),
        ...(legacy ? [{ apiVersion, kind: "MachineConfig", ...own }] : []),
        ...Object.entries(profiles).map(profileOf),
      ];
      const rendered = renderAssets(sortAssets(objects.map((object) => ({ place: "a", object }))), {
        owner: "label-name",
      });
      if (rendered.type === "refused") throw new Error(rendered.problems.join());
      const made = new Map(rendered.files.map((file) => [file.name, file.object as MachineConfig]));
      const defaults = roles.map((role) => `01_01-${role}-cpu-partitioning_workload_pinning_machineconfig.yaml`);
      const ofProfiles = Object.keys(profiles).flatMap((role) =>
        ["machineconfig", "kubeletconfig", "tuned", "runtimeclass"].map((kind) => `${role}_${kind}.yaml`),
      );
      expect([...made.keys()]).toEqual([...defaults, ...ofProfiles]);
      for (const [index, role] of roles.entries()) {
        const { metadata, spec } = made.get(defaults[index] ?? "") ?? {};
        expect(metadata).toEqual({ name: `01-${role}-cpu-partitioning`, labels: { [roleLabel]: role } });
        expect(filesOf(spec?.config).map(({ path }) => path)).toEqual(both);
      }
      for (const [role, reserved] of Object.entries(profiles)) {
        const { metadata, spec } = made.get(`${role}_machineconfig.yaml`) ?? {};
        expect(metadata).toMatchObject({
          name: `50-performance-${role}`,
          labels: { [roleLabel]: role, "performance.openshift.io/weak-owner-reference-name": role },
        });
        const paths = [pinningPaths.crio, pinningPaths.kubelet] as string[];
        expect(
          filesOf(spec?.config)
            .filter(({ path }) => paths.includes(path))
            .map(contentsOf),
        ).toEqual([crioPinning(reserved), kubeletPinning(reserved)]);
      }
    },
  );

  it.each(Object.entries(pinning.bootstrap))("%s", (id, files) => {
    const made: MachineConfig = id.startsWith("v4.13")
      ? bootstrapMachineConfig("master", "4.13")
      : bootstrapMachineConfig("master");
    expect(filesOf(made.spec?.config).map(({ path, mode, contents }) => [path, mode, contents?.source])).toEqual(
      files.map(([path, base64]) => [path, 0o644, `data:text/plain;charset=utf-8;base64,${base64}`]),
    );
  });
});

describe("recorded single nodes that were partitioned before", () => {
  it.each(Object.entries(pinning.migration))("%s", (id, { mode, topology, nodes, becomes }) => {
    const cores = { "management.workload.openshift.io/cores": "8k" };
    const status = { cpuPartitioning: mode, controlPlaneTopology: topology };
    const identifier = { apiVersion: "", kind: "Infrastructure", metadata: {}, status };
    const found = nodes.map(({ capacity, allocatable }) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: {},
      status: { capacity: capacity ? cores : {}, allocatable: allocatable ? cores : {} },
    }));
    const migrates = mayMigrate(partitioningStatus(identifier)) && arePartitioned(found);
    expect(migrates ? "AllNodes" : mode).toBe(installationDifferences[id] ?? becomes);
  });
});
