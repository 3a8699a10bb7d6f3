import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, startServer } from "../../../embedded/apiserver/server.ts";
import { parseTopology } from "../../../language/cpu/topology-text.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import { profileKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../domain/node-tuning/crds.ts";
import { readYaml } from "../../../language/object/yaml.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { create, type CreateOptions } from "./create.ts";
import { info } from "./info.ts";
import { sysinfo } from "./testing/support-data.ts";

const { signal } = new AbortController();
const hardware = { architecture: "amd64", offline: "", numaNodes: [{ id: 0, cores: ["0/0:0,2", "0/1:1,3"] }] };
const rt = "node-role.kubernetes.io/rt";
const poolRole = "machineconfiguration.openshift.io/role";

let dir: string;
let server: ApiServer;
let client: HttpClient;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-live-"));
  server = await startServer({ dir, storage: "memory" });
  client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  const status = { capacity: { cpu: "4" }, nodeInfo: { architecture: "amd64" } };
  for (const name of ["rt-1", "rt-2"])
    await client.create(kinds.node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { "kubernetes.io/os": "linux", [rt]: "" } },
      status: status as never,
    });
});
afterAll(async () => {
  client.close();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

describe("a live cluster", () => {
  it("without pools is grouped by role, and without agents needs snapshots", async () => {
    const { code, printed } = await created({});
    expect([code, printed.stdout]).toEqual([1, ""]);
    expect(printed.stderr).toContain(
      "error: hardware of nodes rt-1, rt-2 is unknown: install the agents, or pass --snapshot rt-1=FILE",
    );
    const topology = parseTopology(hardware);
    for (const name of ["rt-1", "rt-2"]) await writeFile(join(dir, `${name}.tgz`), await sysinfo(topology as never));
    const again = await created({ snapshot: ["rt-1", "rt-2"].map((name) => join(dir, `${name}.tgz`)) });
    expect([again.code, again.printed.stderr]).toEqual([0, ""]);
    expect(readYaml(again.printed.stdout)).not.toHaveProperty("spec.machineConfigPoolSelector");
  });

  it("has pools, and hardware reported by agents", async () => {
    for (const crd of [...nodeTuningCrds, ...machineConfigCrds])
      await client.create(kinds.customResourceDefinition, crd as never);
    await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } });
    await client.create(machineConfigPoolKind, {
      apiVersion: machineConfigPoolKind.apiVersion,
      kind: "MachineConfigPool",
      metadata: { name: "rt", labels: { [poolRole]: "rt" } },
      spec: {
        nodeSelector: { matchLabels: { [rt]: "" } },
        machineConfigSelector: { matchLabels: { [poolRole]: "rt" } },
      },
    });
    for (const name of ["rt-1", "rt-2"]) {
      const of = {
        apiVersion: profileKind.apiVersion,
        kind: "Profile",
        metadata: { name, namespace: tuningNamespace },
      };
      const made = await client.create(profileKind, { ...of, spec: { config: { tunedProfile: "openshift" } } });
      const status = { tunedProfile: "openshift", hardware };
      await client.update(profileKind, { ...made, status }, { subresource: "status" });
    }
    const { code, printed } = await created({});
    expect([code, printed.stderr]).toEqual([0, ""]);
    expect(readYaml(printed.stdout)).toMatchObject({
      spec: {
        cpu: { reserved: "0,2", isolated: "1,3" },
        machineConfigPoolSelector: { [poolRole]: "rt" },
        nodeSelector: { [rt]: "" },
      },
    });
    const infoTerminal = new RecordingTerminal();
    expect(await info({ kubeconfig: server.kubeconfig, json: true }, { terminal: infoTerminal, signal })).toBe(0);
    expect(JSON.parse(infoTerminal.stdout)).toMatchObject([
      { name: "rt", nodes: [{ cpus_count: 4 }, { name: "rt-2" }] },
    ]);
  });
});

async function created(options: Partial<CreateOptions>): Promise<{ code: number; printed: RecordingTerminal }> {
  const printed = new RecordingTerminal();
  const flags = { "reserved-cpu-count": "2", "rt-kernel": "false" };
  const given = { kubeconfig: server.kubeconfig, mcpName: "rt", flags, ...options };
  return { code: await create(given, { terminal: printed, signal }), printed };
}

it("of a cluster without workers info says where nodes would be", async () => {
  const empty = await startServer({ dir: join(dir, "empty"), storage: "memory" });
  const printed = new RecordingTerminal();
  try {
    expect(await info({ kubeconfig: empty.kubeconfig }, { terminal: printed, signal })).toBe(0);
  } finally {
    await empty.close();
  }
  expect(printed.stderr).toContain("warning: no node belongs to a pool: nodes need a role label such as ");
});
