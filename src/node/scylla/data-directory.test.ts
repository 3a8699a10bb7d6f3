import { expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { dataDirectory } from "./data-directory.ts";

const nvme = (slot: string, name: string): string =>
  `/sys/devices/pci0000:00/0000:00:${slot}.0/nvme/${name.slice(0, 5)}/${name}`;
const virtual = (name: string): string => `/sys/devices/virtual/block/${name}`;

const mounts: readonly (readonly [number: string, point: string, type: string, source: string])[] = [
  ["254:0", "/", "ext4", "/dev/vda"],
  ["259:1", "/mnt/nvme", "xfs", "/dev/nvme0n1"],
  ["9:0", "/mnt/array", "xfs", "/dev/md0"],
  ["7:0", "/mnt/loop", "xfs", "/dev/loop0"],
  ["251:0", "/mnt/ceph", "xfs", "/dev/rbd0"],
  ["0:50", "/mnt/memory", "tmpfs", "tmpfs"],
  ["0:51", "/mnt/nfs", "nfs4", "files.example.com:/data"],
  ["0:52", "/mnt/btrfs", "btrfs", "/dev/nvme0n1"],
  ["8:16", "/mnt/iscsi", "xfs", "/dev/sdb"],
  ["0:53", "/mnt/nvme/memory", "tmpfs", "tmpfs"],
  ["259:1", "/mnt/with\\040blank", "xfs", "/dev/nvme0n1"],
];

const host = new MemoryHost(
  new MemoryBase(
    [
      [
        "/proc/1/mountinfo",
        mounts.map(([number, point, type, source]) => `22 1 ${number} / ${point} rw - ${type} ${source} rw\n`).join(""),
      ],
      ["/sys/devices/pci0000:00/0000:00:02.0/msi_irqs/30", "msix\n"],
      ["/sys/devices/pci0000:00/0000:00:1e.0/msi_irqs/61", "msix\n"],
      ["/sys/devices/pci0000:00/0000:00:1f.0/irq", "17\n"],
      ["/sys/devices/rbd/power/control", "auto\n"],
      [`${virtual("loop0")}/uevent`, ""],
    ],
    [],
    [
      ["/sys/dev/block/254:0", "/sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda"],
      ["/sys/dev/block/259:1", nvme("1e", "nvme0n1")],
      ["/sys/dev/block/9:0", virtual("md0")],
      [`${virtual("md0")}/slaves/nvme1n1`, nvme("1f", "nvme1n1")],
      [`${virtual("md0")}/slaves/nvme0n1`, nvme("1e", "nvme0n1")],
      ["/sys/dev/block/7:0", virtual("loop0")],
      ["/sys/dev/block/251:0", "/sys/devices/rbd/0/block/rbd0"],
      ["/sys/dev/block/8:16", "/sys/devices/platform/host3/session1/target3:0:0/3:0:0:0/block/sdb"],
      ["/data", "/mnt/nvme"],
    ],
  ),
);

const of = (hostPath: string) => dataDirectory(host, [{ containerPath: "/var/lib/scylla", hostPath }]);

test.each([
  ["/var/lib/kubelet/pods/u/volumes/x", undefined, ["vda"]],
  ["/mnt/nvme/0", undefined, ["nvme0n1"]],
  ["/mnt/array/0", undefined, ["nvme0n1", "nvme1n1"]],
  ["/mnt/iscsi", undefined, ["sdb"]],
  ["/data/0", "/mnt/nvme/0", ["nvme0n1"]],
  ["/mnt/with blank/0", undefined, ["nvme0n1"]],
])("data in %s are on disks, those of an array each", async (hostPath, directory = hostPath, devices) => {
  expect(await of(hostPath)).toEqual({ directory, devices });
});

/** At these the script of the engine perftune ends with an error: one database would keep all of its node waiting. */
test.each([
  "/mnt/memory/0",
  "/mnt/nvme/memory",
  "/mnt/nfs/0",
  "/mnt/btrfs/0",
  "/mnt/loop/0",
  "/mnt/ceph/0",
  "/mnt/nvme/../loop",
  "mnt/nvme",
  "/mnt/nvme/a\nb",
  `/mnt/nvme/${"a".repeat(4096)}`,
])("data in %.40j are on no disk that can be tuned", async (hostPath) => {
  expect(await of(hostPath)).toBeUndefined();
});

test("a container without a volume for its data has none", async () => {
  expect(await dataDirectory(host, [{ containerPath: "/var/lib", hostPath: "/mnt/nvme" }])).toBeUndefined();
});
