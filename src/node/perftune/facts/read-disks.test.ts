import { describe, expect, test } from "vitest";
import { MemoryBase } from "../../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../../host/memory-host.ts";
import { readDisks } from "./read-disks.ts";

const sata = "/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
const pci = (slot: string): string => `/sys/devices/pci0000:00/0000:00:${slot}.0`;
const nvme = (slot: string, name: string): string => `${pci(slot)}/nvme/${name.slice(0, 5)}/${name}`;
const virtual = (name: string): string => `/sys/devices/virtual/block/${name}`;
const subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys2";

const disks: Record<string, string> = {
  sda: sata,
  sda1: `${sata}/sda1`,
  nvme0n1: nvme("1e", "nvme0n1"),
  nvme1n1: nvme("1f", "nvme1n1"),
  md0: virtual("md0"),
  md0p1: `${virtual("md0")}/md0p1`,
  "dm-0": virtual("dm-0"),
  loop0: virtual("loop0"),
  nvme2n1: `${subsystem}/nvme2n1`,
  sdb: "/sys/devices/platform/host3/session1/target3:0:0/3:0:0:0/block/sdb",
  vda: `${pci("03")}/virtio1/block/vda`,
  xvda: "/sys/devices/vbd-768/block/xvda",
};

const files: Record<string, string> = {
  ...Object.fromEntries(Object.values(disks).map((path) => [`${path}/uevent`, ""])),
  [`${sata}/queue/scheduler`]: "[mq-deadline] none\n",
  [`${sata}/queue/nomerges`]: "0\n",
  [`${sata}/queue/write_cache`]: "write back\n",
  "/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/msi_irqs/33": "msi\n",
  "/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/ata1/host0/msi_irqs/99": "none\n",
  [`${pci("1e")}/msi_irqs/61`]: "msix\n",
  [`${pci("1e")}/msi_irqs/60`]: "msix\n",
  [`${pci("1e")}/irq`]: "16\n",
  [`${pci("1f")}/irq`]: "17\n",
  [`${pci("05")}/msi_irqs/70`]: "msix\n",
  [`${pci("03")}/modalias`]: "pci:v00001AF4\n",
  [`${pci("03")}/irq`]: "0\n",
  [`${pci("03")}/msi_irqs/40`]: "msix\n",
  "/sys/devices/vbd-768/modalias": "xen:vbd\n",
  "/data/a": "",
  "/data/deep/b": "",
  "/btrfs/a": "",
  "/bound/a": "",
  "/overlay/a": "",
  "/dev/sda1": "",
  "/dev/dm-0": "",
  "/proc/self/mountinfo": [
    "20 1 0:99 / / rw - overlay overlay rw",
    "21 20 8:1 / /data rw - ext4 /dev/sda1 rw",
    "22 20 0:50 / /btrfs rw - btrfs /dev/mapper/pool rw",
  ].join("\n"),
};

const links: [string, string][] = [
  ...Object.entries(disks).map(([name, path]): [string, string] => [`/sys/class/block/${name}`, path]),
  ["/sys/dev/block/8:1", `${sata}/sda1`],
  [`${virtual("md0")}/slaves/nvme0n1`, nvme("1e", "nvme0n1")],
  [`${virtual("md0")}/slaves/nvme1n1`, nvme("1f", "nvme1n1")],
  [`${virtual("dm-0")}/slaves/md0`, virtual("md0")],
  [`${virtual("dm-0")}/slaves/sda1`, `${sata}/sda1`],
  [`${subsystem}/nvme2n1/device`, subsystem],
  [`${subsystem}/nvme2`, `${pci("05")}/nvme/nvme2`],
  ["/dev/mapper/pool", "/dev/dm-0"],
];

const df: MemoryCommand = ([, , path]) => {
  const source = path?.startsWith("/btrfs") ? "/dev/mapper/pool" : path === "/bound" ? "/data/deep" : "overlay";
  return { type: "exited", code: 0, stdout: `Filesystem 1024-blocks\n${source} 1\n`, stderr: "" };
};

const interrupts = new Map([[80, "xen-dyn -event blkif"]]);

async function read(directories: readonly string[], devices: readonly string[] = []) {
  const host = new MemoryHost(new MemoryBase(Object.entries(files), [], links), [["df", df]]);
  const found = await readDisks({ directories, devices }, host, interrupts);
  return { ...found, names: found.devices.map(({ name }) => name) };
}

describe("disks", () => {
  test.each([
    ["a directory by the number of its device", ["/data/deep"], ["sda1"]],
    ["a directory of several devices by df", ["/btrfs"], ["nvme0n1", "nvme1n1", "sda1"]],
    ["a directory that is mounted elsewhere by df", ["/bound"], ["sda1"]],
  ])("of %s", async (_, directories, names) => {
    expect(await read(directories)).toMatchObject({ names, unresolved: [] });
  });

  test("that no directory leads to are told, and the others are found", async () => {
    const { names, unresolved } = await read(["/nosuch", "/overlay", "/data"], ["nosuch", "../sda", ".."]);
    expect(names).toEqual(["sda1"]);
    expect(unresolved).toEqual([
      "/nosuch: no such directory",
      "/overlay: it is on overlay, which has no block device",
      "nosuch: no such block device",
      "../sda: no such block device",
      "..: no such block device",
    ]);
  });

  test.each([
    ["an array", "md0", ["nvme0n1", "nvme1n1"]],
    ["a partition of an array", "md0p1", ["nvme0n1", "nvme1n1"]],
    ["a volume on an array and a partition", "/dev/mapper/pool", ["nvme0n1", "nvme1n1", "sda1"]],
    ["a loop device", "loop0", ["loop0"]],
    ["a namespace of several paths", "nvme2n1", ["nvme2n1"]],
  ])("are the members of %s, each once", async (_, device, names) => {
    expect((await read([], [device, device])).names).toEqual(names);
  });

  test.each([
    ["sda1", [33]],
    ["nvme0n1", [60, 61]],
    ["nvme1n1", [17]],
    ["nvme2n1", [70]],
    ["sdb", []],
    ["vda", [40]],
    ["xvda", [80]],
    ["loop0", []],
  ])("%s has the IRQs %j of its controller", async (device, irqs) => {
    expect((await read([], [device])).devices[0]?.irqs).toEqual(irqs);
  });

  test("have the attributes of the nearest device above", async () => {
    const [disk] = (await read(["/data"])).devices;
    expect(disk).toMatchObject({
      scheduler: { path: `${sata}/queue/scheduler`, text: "[mq-deadline] none\n" },
      nomerges: { path: `${sata}/queue/nomerges` },
      writeCache: { path: `${sata}/queue/write_cache` },
    });
  });
});
