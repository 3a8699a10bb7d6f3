import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type CpuTopology, onlineCpus } from "../../language/cpu/cpu-topology.ts";
import { topologyFiles } from "../../language/cpu/testing/topology-files.ts";
import { LinuxHost } from "../host/linux-host.ts";
import { syncFiles } from "../host/sync-files.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { ArchiveView } from "./archive-view.ts";
import type { ArchiveEntry } from "./archive-entry.ts";
import { collect } from "./collect.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { writeTar } from "./write-tar.ts";

const machine: CpuTopology = {
  numaNodes: [
    {
      id: 0,
      memoryKiB: 4096,
      cores: [
        { id: 0, socket: 0, cpus: [0, 4] },
        { id: 1, socket: 0, cpus: [1, 5] },
      ],
    },
    { id: 2, memoryKiB: 8192, cores: [{ id: 0, socket: 1, cpus: [2, 6] }] },
  ],
  offline: [3, 7],
};

describe("a snapshot", () => {
  it("has the hardware of the node, and no other files", async () => {
    const { files, links } = topologyFiles(machine);
    files.set("/sys/class/dmi/id/product_name", "Machine\n");
    files.set("/sys/class/dmi/id/product_serial", "secret\n");
    files.set("/proc/irq/7/smp_affinity_list", "0-7\n");
    files.set("/etc/passwd", "root\n");
    const entries = await collect(new MemoryHost(new MemoryBase(files, [], links)));
    const paths = entries.map(({ path }) => path);
    expect(paths).toEqual(paths.toSorted());
    expect(paths).toEqual(expect.arrayContaining(["proc/irq/7/smp_affinity_list", "sys/class/dmi/id/product_name"]));
    expect(paths.filter((path) => /serial|passwd/.test(path))).toEqual([]);
    expect(entries).toContainEqual({ type: "link", path: "sys/devices/system/node/node2/cpu6", to: "../../cpu/cpu6" });
    expect(await readSnapshot(packed(entries))).toEqual({ topology: machine });
  });

  it("of this machine can be read", async () => {
    const { topology } = await readSnapshot(packed(await collect(new LinuxHost("/", syncFiles))));
    expect(onlineCpus(topology).length).toBeGreaterThan(0);
  });

  it.each([
    ["/proc/sys/kernel/arch", "x86_64\n", "amd64"],
    ["/proc/sys/kernel/arch", "riscv64\n", "riscv64"],
    ["/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n", "amd64"],
    ["/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n", "arm64"],
    ["/proc/cpuinfo", "processor\t: 0\ncpu\t: POWER9\n", undefined],
  ])("has the architecture: %s %j", async (path, text, architecture) => {
    const { files } = topologyFiles(machine);
    files.set(path, text);
    const entries = await collect(new MemoryHost(new MemoryBase(files)));
    expect((await readSnapshot(packed(entries))).architecture).toBe(architecture);
  });

  it("without CPUs is refused", async () => {
    await expect(readSnapshot(packed([{ type: "folder", path: "sys" }]))).rejects.toThrow(/not a snapshot of a node/);
  });
});

describe("an archive as a file system", () => {
  const view = new ArchiveView([
    file("a/file", "text"),
    link("b/relative", "../a/file"),
    link("b/absolute", "/a"),
    link("out", "../../../../a/file"),
    link("loop", "loop"),
    link("ping", "pong"),
    link("pong", "ping/x"),
    link("nowhere", "missing/file"),
    { type: "folder", path: "empty" },
    file("a/file/below", "a folder that is also a file"),
  ]);

  it.each<[string, string | undefined]>([
    ["/a/file", "text"],
    ["/b/relative", "text"],
    ["/b/absolute/file", "text"],
    ["/out", "text"],
    ["/a", undefined],
    ["/loop", undefined],
    ["/ping", undefined],
    ["/nowhere", undefined],
    ["/__proto__/constructor", undefined],
  ])("has at %s %j", (path, text) => {
    expect(view.read(path)).toBe(text);
  });

  it("lists folders, also behind links, and nothing for other paths", () => {
    expect(view.list("/")).toEqual(["a", "b", "empty", "loop", "nowhere", "out", "ping", "pong"]);
    expect(view.list("/b/absolute")).toEqual(["file"]);
    for (const path of ["/empty", "/loop", "/out", "/missing"]) expect(view.list(path).length).toBeLessThan(2);
  });
});

async function* packed(entries: readonly ArchiveEntry[]): AsyncGenerator<Uint8Array> {
  yield gzipSync(await writeTar(entries));
}

function file(path: string, text: string): ArchiveEntry {
  return { type: "file", path, bytes: Buffer.from(text) };
}

function link(path: string, to: string): ArchiveEntry {
  return { type: "link", path, to };
}
