import { describe, expect, it } from "vitest";
import { apiVersion, type MachineConfig } from "../../src/domain/machine-config/api.ts";
import { bootstrapMachineConfig } from "../../src/domain/workload-partitioning/bootstrap-machine-config.ts";
import { partitioningStatus } from "../../src/domain/workload-partitioning/identifier.ts";
import { readInstallConfig } from "../../src/domain/workload-partitioning/install-config.ts";
import { arePartitioned, mayMigrate } from "../../src/domain/workload-partitioning/migration.ts";
import { filesOf } from "../../src/language/ignition/config.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { renderAssets } from "../../src/program/cli/render/render-assets.ts";
import { sortAssets } from "../../src/program/cli/render/sort-assets.ts";
import { fixture } from "./cases.ts";

interface Installer {
  readonly modes: Readonly<Record<string, { readonly given: object; readonly mode: string }>>;
  readonly topologies: Readonly<
    Record<string, { readonly replicas: [number | null, (number | null)[], number | null]; readonly is: string[] }>
  >;
}

interface Pinning {
  readonly render: Readonly<Record<string, RenderCase>>;
  readonly bootstrap: Readonly<Record<string, [path: string, base64: string][]>>;
  readonly migration: Readonly<Record<string, MigrationCase>>;
}

interface RenderCase {
  readonly name?: string;
  readonly status?: object;
  readonly pools?: readonly string[];
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
    // A typo must not install a cluster without what was asked for, which cannot be added later.
    if (id === "unknown-value") expect(read.type).toBe("problems");
    else expect(read).toMatchObject({ status: { cpuPartitioning: mode } });
  });

  it.each(Object.entries(installer.topologies))("%s", (_, { replicas: [controlPlane, workers, arbiters], is }) => {
    const [controlPlaneTopology, infrastructureTopology] = is;
    const pool = (replicas: number | null): object => ({ replicas });
    const arbiter = arbiters === null ? {} : { arbiter: pool(arbiters) };
    const config = { controlPlane: pool(controlPlane), compute: workers.map(pool), ...arbiter };
    expect(readInstallConfig(config)).toMatchObject({ status: { controlPlaneTopology, infrastructureTopology } });
  });
});

describe("recorded default MachineConfigs", () => {
  it.each(Object.entries(pinning.render))(
    "%s",
    (_, { name = "cluster", status, pools = [], legacy = false, roles }) => {
      const files = bootstrapMachineConfig("master").spec;
      const objects: KubeObject[] = [
        ...(status
          ? [{ apiVersion: "config.openshift.io/v1", kind: "Infrastructure", metadata: { name }, status }]
          : []),
        ...pools.map((pool) => ({ apiVersion, kind: "MachineConfigPool", metadata: { name: pool } })),
        ...(legacy ? [{ apiVersion, kind: "MachineConfig", metadata: { name: "02-master" }, spec: files }] : []),
      ];
      const rendered = renderAssets(sortAssets(objects.map((object) => ({ place: "a", object }))), { owner: "none" });
      const names = rendered.type === "files" ? rendered.files.map((file) => file.name) : rendered.problems;
      expect(names).toEqual(roles.map((role) => `01_01-${role}-cpu-partitioning_workload_pinning_machineconfig.yaml`));
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
    // The document decides by capacity: allocatable follows with the next report of the kubelet.
    const expected = id === "capacity-only" ? "AllNodes" : becomes;
    expect(migrates ? "AllNodes" : mode).toBe(expected);
  });
});
