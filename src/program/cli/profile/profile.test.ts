import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CpuTopology } from "../../../language/cpu/cpu-topology.ts";
import { parseTopology } from "../../../language/cpu/topology-text.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { readYaml } from "../../../language/object/yaml.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { create, type CreateOptions } from "./create.ts";
import { info } from "./info.ts";
import { type GatheredCluster, place, sysinfo, writeSupportData } from "./testing/support-data.ts";

const { signal } = new AbortController();
const topology = machine(["0/0:0,2", "0/1:1,3"]);
const role = (name: string): string => `node-role.kubernetes.io/${name}`;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-profile-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe("attune profile create", () => {
  it("prints a profile without warnings", async () => {
    await writeSupportData(dir, cluster());
    const { code, printed } = await created({ mustGatherDirPath: dir });
    expect([code, printed.stderr]).toEqual([0, ""]);
    expect(readYaml(printed.stdout)).toMatchObject({ spec: { cpu: { reserved: "0,2", isolated: "1,3" } } });
  });

  it("prints the warnings of admission, and names nodes that are left out", async () => {
    const tainted = node("rt-2", { [role("rt")]: "" });
    tainted.spec = { taints: [{ key: role("rt"), value: "", effect: "NoSchedule" }] };
    const elsewhere = node("w-1", { [role("worker")]: "" });
    elsewhere.spec = { taints: [{ key: role("worker"), value: "", effect: "NoSchedule" }] };
    const nodes = [node("rt-1", { [role("rt")]: "" }), tainted, elsewhere];
    await writeSupportData(dir, cluster({ nodes, selects: "other" }));
    const { code, printed } = await created({ mustGatherDirPath: dir });
    expect(code).toBe(0);
    expect(printed.stderr).toMatch(
      /^warning: node rt-2 is left out of pool rt: .*\nwarning: spec\..*MachineConfigPool rt/,
    );
  });

  it("warns if nodes number cores differently, and adds a comment", async () => {
    const nodes = ["rt-1", "rt-2"].map((name) => node(name, { [role("rt")]: "" }));
    const topologies = new Map([
      ["rt-1", topology],
      ["rt-2", machine(["0/0:0,2", "0/8:1,3"])],
    ]);
    await writeSupportData(dir, { ...cluster({ nodes }), topologies });
    const { code, printed } = await created({ mustGatherDirPath: dir });
    expect(code).toBe(0);
    expect(printed.stderr).toMatch(/^warning: core ids on NUMA node 0: /);
    expect(printed.stdout).toMatch(/\n# Some nodes of this pool number their cores differently/);
  });

  it("wraps the profile in a ConfigMap for a hosted cluster", async () => {
    const hosted = cluster({ nodes: [node("a", { "hypershift.openshift.io/nodePool": "np" })], hosted: true });
    await writeSupportData(dir, { ...hosted, pools: [], topologies: new Map([["a", topology]]) });
    const { code, printed } = await created({ mustGatherDirPath: dir, mcpName: undefined, nodePoolName: "np" });
    expect([code, printed.stderr]).toEqual([0, ""]);
    expect(readYaml(printed.stdout)).toMatchObject({ kind: "ConfigMap", metadata: { namespace: "clusters" } });
    expect((await created({ mustGatherDirPath: dir })).printed.stderr).toMatch(
      /^error: --mcp-name: .*--node-pool-name\n$/,
    );
  });

  it("needs only snapshots, for nodes of a role", async () => {
    await writeFile(join(dir, "a.tgz"), await sysinfo(topology));
    const { code, printed } = await created({ snapshot: [join(dir, "a.tgz")] });
    expect([code, printed.stderr]).toEqual([0, ""]);
    expect(readYaml(printed.stdout)).toMatchObject({ spec: { nodeSelector: { [role("rt")]: "" } } });
  });

  it.each<[string, Partial<CreateOptions>, RegExp]>([
    [
      "a source",
      {},
      /^error: --must-gather-dir-path, --kubeconfig, --context, --snapshot or \$KUBECONFIG is required\n/,
    ],
    ["a pool", { snapshot: ["x"], mcpName: undefined }, /^error: exactly one of --mcp-name and --node-pool-name/],
    ["one pool", { snapshot: ["x"], nodePoolName: "np" }, /^error: exactly one of --mcp-name and --node-pool-name/],
    ["counts", { snapshot: ["x"], flags: {} }, /^error: --reserved-cpu-count: .*\nerror: --rt-kernel: /],
  ])("requires %s", async (_, options, message) => {
    const { code, printed } = await created(options);
    expect([code, printed.stdout]).toEqual([1, ""]);
    expect(printed.stderr).toMatch(message);
  });

  it.each<[string, Partial<CreateOptions>, RegExp]>([
    ["a pool that is not there", { mcpName: "gone" }, /^error: --mcp-name gone: not one of rt, worker\n$/],
    ["a pool without nodes", { mcpName: "worker" }, /^error: pool worker has no nodes\n$/],
    [
      "a node pool that cannot be",
      { mcpName: undefined, nodePoolName: "np" },
      /^error: --node-pool-name: .*--mcp-name/,
    ],
    [
      "too many CPUs",
      { flags: { "reserved-cpu-count": "4", "rt-kernel": "false" } },
      /^error: 4 CPUs cannot be reserved: 1 to 3 /,
    ],
  ])("refuses %s", async (_, options, message) => {
    await writeSupportData(dir, cluster());
    const { code, printed } = await created({ mustGatherDirPath: dir, ...options });
    expect([code, printed.stdout]).toEqual([1, ""]);
    expect(printed.stderr).toMatch(message);
  });

  it("explains how to provide the hardware of a node, and takes a snapshot of it", async () => {
    await writeSupportData(dir, { ...cluster(), topologies: new Map() });
    const { code, printed } = await created({ mustGatherDirPath: dir });
    expect([code, printed.stdout]).toEqual([1, ""]);
    expect(printed.stderr).toContain(
      "error: hardware of node rt-1 is unknown: install the agents, or pass --snapshot rt-1=FILE with a file that attune agent --sysinfo FILE wrote on the node\n",
    );
    const snapshot = join(dir, "any-name");
    await writeFile(snapshot, await sysinfo(topology));
    const again = await created({ mustGatherDirPath: dir, snapshot: [`rt-1=${snapshot}`, `strange=${snapshot}`] });
    expect([again.code, again.printed.stderr]).toEqual([
      0,
      "warning: --snapshot strange: the cluster has no such node\n",
    ]);
  });
});

describe("a must-gather", () => {
  const fails = (path: string, message: RegExp): Promise<void> =>
    expect(created({ mustGatherDirPath: path })).rejects.toThrow(message);

  it("that is missing is reported differently from a folder that is none", async () => {
    await fails(join(dir, "gone"), /^--must-gather-dir-path .*gone: no such folder or archive$/);
    await fails(dir, /no cluster-scoped-resources\/core\/nodes in it: is it a must-gather\?$/);
    await writeFile(join(dir, "text"), "no archive");
    await fails(join(dir, "text"), /text: not a tar archive, or a damaged one$/);
  });

  it("must be of one cluster, gathered once", async () => {
    await writeSupportData(join(dir, "monday"), cluster());
    await writeSupportData(join(dir, "tuesday"), cluster());
    await fails(
      dir,
      /nodes is there 2 times, in monday\/quay-io-image\/ and tuesday\/quay-io-image\/: name the folder/,
    );
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ["cluster-scoped-resources/core/nodes/x.yaml", "{", /x\.yaml: line 1: /],
    ["cluster-scoped-resources/core/nodes/x.yaml", "kind: Pod\n", /x\.yaml: no Node in it$/],
    ["cluster-scoped-resources/core/nodes/x.yaml", "[]", /x\.yaml: no Node in it$/],
    [
      "cluster-scoped-resources/core/nodes/x.yaml",
      'kind: Node\nmetadata: {name: "\\e[2J"}\n',
      /x\.yaml: no Node in it$/,
    ],
    ["cluster-scoped-resources/core/nodes/\u001b[2J.yaml", "{", /nodes\/\\u\{1b\}\[2J\.yaml: line 1: /],
    [
      "cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools/x.yaml",
      "x: [",
      /machineconfigpools\/x\.yaml: line 1: /,
    ],
    ["nodes/rt-1/sysinfo.tgz", "damaged", /rt-1\/sysinfo\.tgz: not a tar archive, or a damaged one$/],
  ])("with an invalid file is refused with the path of the file: %s %j", async (path, content, message) => {
    await writeSupportData(dir, cluster());
    await place(join(dir, "quay-io-image"), path, content);
    await fails(dir, message);
  });

  it("may have an unreadable pool of masters", async () => {
    await writeSupportData(dir, cluster());
    const pools = "cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools";
    await place(join(dir, "quay-io-image"), `${pools}/master.yaml`, "x: [");
    const { code, printed } = await created({ mustGatherDirPath: dir });
    expect(code).toBe(0);
    expect(printed.stderr).toMatch(/^warning: .*master\.yaml.*continuing without the pool\n$/);
  });

  it("must have pools, unless the cluster is hosted; the Infrastructure is optional", async () => {
    const { infrastructure: _, ...rest } = cluster();
    await writeSupportData(dir, rest);
    expect((await created({ mustGatherDirPath: dir })).code).toBe(0);
    await rm(join(dir, "quay-io-image/cluster-scoped-resources/machineconfiguration.openshift.io"), {
      recursive: true,
    });
    await fails(dir, /no cluster-scoped-resources\/machineconfiguration\.openshift\.io\/machineconfigpools in it/);
  });

  it("excludes a live cluster", async () => {
    const both = { mustGatherDirPath: dir, kubeconfig: "x" };
    await expect(created(both)).rejects.toThrow(
      /^--must-gather-dir-path cannot be used together with --kubeconfig or --context$/,
    );
  });
});

describe("attune profile info", () => {
  it("reads only snapshots, as files or as a folder", async () => {
    await writeFile(join(dir, "a.tgz"), await sysinfo(topology));
    await writeFile(join(dir, "b.tar.gz"), await sysinfo(topology));
    await writeFile(join(dir, "notes.txt"), "");
    const printed = new RecordingTerminal();
    expect(await info({ snapshot: [dir] }, { terminal: printed, signal })).toBe(0);
    expect(printed.stdout).toBe(`Pool worker
  Node a: 4 CPUs, 1 NUMA node, hyper-threading on
    NUMA node 0: CPUs 0-3
  Node b: 4 CPUs, 1 NUMA node, hyper-threading on
    NUMA node 0: CPUs 0-3
---
`);
  });

  it.each<["json" | "yaml", (text: string) => unknown]>([
    ["json", JSON.parse],
    ["yaml", readYaml],
  ])("prints %s", async (output, parse) => {
    await writeFile(join(dir, "a.tgz"), await sysinfo(topology));
    const printed = new RecordingTerminal();
    // The default cluster counts only where no source is named.
    expect(await info({ snapshot: [dir], output, live: true }, { terminal: printed, signal })).toBe(0);
    const other = new RecordingTerminal();
    await info({ snapshot: [dir], json: true }, { terminal: other, signal });
    expect(parse(printed.stdout)).toEqual(JSON.parse(other.stdout));
  });

  it.each([
    ["gone.tgz", /^--snapshot .*gone\.tgz: no such file$/],
    ["empty", /^--snapshot .*empty: no NODE\.tgz in it$/],
  ])("reports what is wrong with --snapshot %s", async (name, message) => {
    await place(join(dir, "empty"), "text", "");
    const asked = info({ snapshot: [join(dir, name)] }, { terminal: new RecordingTerminal(), signal });
    await expect(asked).rejects.toThrow(message);
  });

  it("prints nothing if the hardware of a node is unknown", async () => {
    await writeSupportData(dir, { ...cluster(), topologies: new Map() });
    const printed = new RecordingTerminal();
    expect(await info({ mustGatherDirPath: dir, json: true }, { terminal: printed, signal })).toBe(1);
    expect([printed.stdout, printed.stderr]).toEqual(["", expect.stringContaining("hardware of node rt-1 is unknown")]);
  });
});

async function created(options: Partial<CreateOptions>): Promise<{ code: number; printed: RecordingTerminal }> {
  const printed = new RecordingTerminal();
  const flags = { "reserved-cpu-count": "2", "rt-kernel": "false" };
  const code = await create({ mcpName: "rt", flags, ...options }, { terminal: printed, signal });
  return { code, printed };
}

function node(name: string, labels: Record<string, string>): KubeObject {
  const status = { capacity: { cpu: "4" }, nodeInfo: { architecture: "amd64" } };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, status };
}

function pool(name: string, selects = name): KubeObject {
  const key = "machineconfiguration.openshift.io/role";
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name, labels: { [key]: name } },
    spec: {
      nodeSelector: { matchLabels: { [role(name)]: "" } },
      machineConfigSelector: { matchLabels: { [key]: selects } },
    },
  };
}

function cluster({
  nodes = [node("rt-1", { [role("rt")]: "" })],
  selects = "rt",
  hosted = false,
}: { nodes?: KubeObject[]; selects?: string; hosted?: boolean } = {}): GatheredCluster {
  const infrastructure = {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    status: { controlPlaneTopology: hosted ? "External" : "HighlyAvailable" },
  };
  return {
    nodes,
    pools: [pool("rt", selects), pool("worker")],
    infrastructure,
    topologies: new Map([["rt-1", topology]]),
  };
}

function machine(cores: string[]): CpuTopology {
  const read = parseTopology({ numaNodes: [{ id: 0, cores }] });
  if (!read) throw new Error("no topology");
  return read;
}
