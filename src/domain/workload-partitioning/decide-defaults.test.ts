import { describe, expect, it } from "vitest";
import { filesOf } from "../../language/ignition/config.ts";
import { textFile } from "../../language/ignition/file-contents.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { apiVersion, type MachineConfig, type MachineConfigPool, roleLabel } from "../machine-config/api.ts";
import { bootstrapMachineConfig } from "./bootstrap-machine-config.ts";
import { decideDefaults, projectPinning } from "./decide-defaults.ts";
import { crioPinning, kubeletPinning, pinningPaths } from "./pinning-files.ts";

const identifier: KubeObject = { apiVersion: "", kind: "", metadata: {}, status: { cpuPartitioning: "AllNodes" } };
const legacyPath = "/etc/crio/crio.conf.d/01-workload-partitioning";

function config(name: string, role: string, files: Record<string, string>): MachineConfig {
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name, labels: { [roleLabel]: role } },
    spec: { config: { storage: { files: Object.entries(files).map(([path, text]) => textFile(path, 0o644, text)) } } },
  };
}

const pool = (name: string, ...roles: string[]): MachineConfigPool => ({
  apiVersion,
  kind: "MachineConfigPool",
  metadata: { name },
  spec: { machineConfigSelector: { matchExpressions: [{ key: roleLabel, operator: "In", values: roles }] } },
});

/** The files of each default that is planned. */
function planned(machineConfigs: readonly MachineConfig[], pools: readonly MachineConfigPool[] = []): object {
  const { objects } = decideDefaults({ identifier, pools, machineConfigs: machineConfigs.map(projectPinning) });
  return Object.fromEntries(
    objects.map(({ object }) => [
      object.metadata.name,
      filesOf((object as MachineConfig).spec?.config).map(({ path }) => path),
    ]),
  );
}

const both = [pinningPaths.kubelet, pinningPaths.crioDefault];

describe("the default MachineConfigs of a partitioned cluster", () => {
  it("leave the files of users alone that a single node has from before: CRI-O would read the default last", () => {
    const legacy = config("02-master-workload-partitioning", "master", {
      [pinningPaths.kubelet]: '{"management":{"cpuset":"0-1"}}',
      [legacyPath]: crioPinning("0-1"),
    });
    expect(planned([legacy])).toEqual({
      // The later one of the two configs wins: the kubelet's file stays theirs, and the node keeps one without theirs.
      "01-master-cpu-partitioning": [pinningPaths.kubelet],
      "01-worker-cpu-partitioning": both,
    });
  });

  it("leave out a file that would replace one of a config that is merged before", () => {
    const early = config("00-pinning", "master", { [pinningPaths.kubelet]: kubeletPinning("0-1") });
    expect(planned([early])).toMatchObject({ "01-master-cpu-partitioning": [pinningPaths.crioDefault] });
  });

  it("have all files beside those of PerformanceProfiles, which win, and which may be deleted", () => {
    const profile = config("50-performance-cnf", "worker", {
      [pinningPaths.crio]: crioPinning("0-1"),
      [pinningPaths.kubelet]: kubeletPinning("0-1"),
    });
    expect(planned([profile], [pool("cnf", "worker", "cnf")])).toEqual({
      "01-master-cpu-partitioning": both,
      "01-worker-cpu-partitioning": both,
      "01-cnf-cpu-partitioning": both,
    });
  });

  it("are not written again where they are, however they are encoded", () => {
    const { spec, ...rest } = bootstrapMachineConfig("master");
    const files = filesOf(spec?.config).map((file) => ({ ...file, overwrite: true }));
    const other = {
      ...rest,
      spec: {
        kernelType: "",
        extensions: [],
        fips: false,
        config: { ...(spec?.config as object), storage: { files } },
      },
    };
    expect(Object.keys(planned([other as MachineConfig]))).toEqual(["01-worker-cpu-partitioning"]);
    expect(Object.keys(planned([bootstrapMachineConfig("master", "4.13")]))).toEqual(["01-worker-cpu-partitioning"]);
  });

  it("are all repaired however broken they are", () => {
    const broken = [null, { config: 5 }, { config: { ignition: { version: "9.9.9" } } }];
    for (const spec of broken) {
      const given = { ...bootstrapMachineConfig("master"), spec: spec as never };
      expect(planned([given])).toMatchObject({ "01-master-cpu-partitioning": both });
    }
  });
});
