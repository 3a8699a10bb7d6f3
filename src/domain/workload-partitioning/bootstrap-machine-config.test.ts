import { describe, expect, it } from "vitest";
import type { IgnitionConfig } from "../../language/ignition/config.ts";
import { contentsOf } from "../../language/ignition/file-contents.ts";
import { bootstrapMachineConfig, bootstrapRoles } from "./bootstrap-machine-config.ts";

describe("the MachineConfig that partitions a role from its first boot", () => {
  const { metadata, spec = {} } = bootstrapMachineConfig("worker-cnf");
  const { ignition, storage, systemd } = spec.config as IgnitionConfig;

  it("is named after the role, and for it", () => {
    expect(metadata).toEqual({
      name: "01-worker-cnf-cpu-partitioning",
      labels: { "machineconfiguration.openshift.io/role": "worker-cnf" },
    });
  });

  it("has two files that name no CPU, and nothing else", () => {
    expect(storage?.files?.map(({ path, mode }) => [path, mode])).toEqual([
      ["/etc/kubernetes/openshift-workload-pinning", 0o644],
      ["/etc/crio/crio.conf.d/01-workload-pinning-default.conf", 0o644],
    ]);
    const [kubelet = "", crio = ""] = (storage?.files ?? []).map(contentsOf);
    expect(JSON.parse(kubelet)).toEqual({ management: { cpuset: "" } });
    expect(crio).toContain('"cpuset" = ""');
    expect([ignition.version, systemd, Object.keys(spec)]).toEqual(["3.2.0", undefined, ["config"]]);
  });
});

describe("roles of a new cluster", () => {
  it.each<[string, string | undefined, string[], string[]]>([
    ["master and worker", undefined, [], ["master", "worker"]],
    ["those of pools besides, each once", "HighlyAvailable", ["cnf", "worker", "cnf"], ["master", "worker", "cnf"]],
    ["an arbiter where one votes", "HighlyAvailableArbiter", ["cnf"], ["master", "worker", "arbiter", "cnf"]],
  ])("are %s", (_, controlPlaneTopology, pools, roles) => {
    const infrastructure = { apiVersion: "", kind: "", metadata: {}, status: { controlPlaneTopology } };
    expect(bootstrapRoles(infrastructure, pools)).toEqual(roles);
  });
});
