import { describe, expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../host/memory-host.ts";
import { noLog } from "../../cluster/runtime/log/log.ts";
import { NodeHardware } from "./node-hardware.ts";

const cpus = "/sys/devices/system/cpu";
const single = [
  [`${cpus}/online`, "0\n"],
  [`${cpus}/cpu0/topology/core_id`, "0\n"],
] as const;
const one = { numaNodes: [{ id: 0, cores: ["0/0:0"] }], offline: "" };
const uname =
  (stdout: string, code = 0): MemoryCommand =>
  () => ({ type: "exited", code, stdout, stderr: "" });

describe("the hardware of a node", () => {
  test.each<{ name: string; files?: [string, string][]; uname?: MemoryCommand; expected: object }>([
    {
      name: "its kernel names it",
      files: [["/proc/sys/kernel/arch", "x86_64\n"]],
      expected: { architecture: "amd64" },
    },
    { name: "only uname names it", uname: uname("aarch64\n"), expected: { architecture: "arm64" } },
    { name: "Kubernetes has no word of its own", uname: uname("s390x\n"), expected: { architecture: "s390x" } },
    { name: "uname fails", uname: uname("x86_64\n", 1), expected: {} },
    { name: "nothing names it", expected: {} },
    {
      name: "its processor names itself",
      files: [["/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\n"]],
      expected: { vendor: "AuthenticAMD" },
    },
    {
      name: "its kernel counts memory, also where NUMA nodes count another",
      files: [
        ["/proc/meminfo", "MemTotal:       8192 kB\nMemFree:  1 kB\n"],
        ["/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       16384 kB\n"],
      ],
      expected: { memory: "8192Ki", numaNodes: [{ id: 0, memory: "16384Ki", cores: ["0/0:0"] }] },
    },
    {
      name: "its counters have a name",
      files: [["/sys/devices/cpu/caps/pmu_name", "icelake\n"]],
      expected: { pmuName: "icelake" },
    },
  ])("is read where $name", async ({ files = [], uname: program, expected }) => {
    const host = new MemoryHost(new MemoryBase([...single, ...files]), program ? [["uname", program]] : []);
    expect(await new NodeHardware(host, noLog).read()).toEqual({ ...one, ...expected });
  });

  test("is unknown if no CPU is found", async () => {
    expect(await new NodeHardware(new MemoryHost(new MemoryBase([])), noLog).read()).toBeUndefined();
  });

  test("is read once, until other CPUs are online", async () => {
    const host = new MemoryHost(new MemoryBase(single));
    const hardware = new NodeHardware(host, noLog);
    const first = await hardware.read();
    host.put(`${cpus}/cpu1/topology/core_id`, "1\n");
    expect(await hardware.read()).toBe(first);
    host.put(`${cpus}/online`, "0-1\n");
    expect((await hardware.read())?.numaNodes).toEqual([{ id: 0, cores: ["0/0:0", "0/1:1"] }]);
  });

  test("is read again after it could not be read", async () => {
    const host = new MemoryHost(new MemoryBase(single));
    const hardware = new NodeHardware(host, noLog);
    const list = host.list.bind(host);
    host.list = () => Promise.reject(new Error("not now"));
    expect(await hardware.read()).toBeUndefined();
    host.list = list;
    expect(await hardware.read()).toEqual(one);
  });
});
