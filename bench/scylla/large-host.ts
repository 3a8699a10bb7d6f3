import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatMask } from "../../src/language/cpu/cpu-mask.ts";

const cpus = Array.from({ length: 256 }, (_, cpu) => cpu);
const nodes = [0, 1];
const queues = Array.from({ length: 64 }, (_, queue) => queue);
const disks = Array.from({ length: 24 }, (_, disk) => disk);
/** Of each disk: one for administration, and one for each of its queues. */
const vectors = 33;

/** Files of a machine with 256 CPUs in two sockets, a card with 64 queues and 24 NVMe disks. */
export function writeLargeHost(root: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const link = (path: string, to: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(join(root, to), join(root, path));
  };
  write("/proc/sys/kernel/random/boot_id", "boot-1\n");
  write("/proc/meminfo", "MemTotal: 1056000000 kB\n");
  for (const name of ["core/rps_sock_flow_entries", "core/somaxconn", "ipv4/tcp_max_syn_backlog", "ipv4/tcp_mem"])
    write(`/proc/sys/net/${name}`, name.endsWith("mem") ? "1\t2\t3\n" : "0\n");
  writeCpus(write);

  const card = "/sys/devices/pci0000:00/0000:00:01.0";
  link("/sys/class/net/eth0", `${card}/net/eth0`);
  link(`${card}/net/eth0/device`, card);
  const interrupts: string[] = [];
  const addIrq = (device: string, name: string): void => {
    const irq = 100 + interrupts.length;
    interrupts.push(`${irq}: ${cpus.map(() => "         0").join(" ")}  PCI-MSIX-0000:00:01.0  ${irq}-edge  ${name}`);
    write(`${device}/msi_irqs/${irq}`, "msix\n");
    write(`/proc/irq/${irq}/smp_affinity`, `${formatMask(cpus)}\n`);
  };
  for (const queue of queues) {
    addIrq(card, `ice-eth0-TxRx-${queue}`);
    for (const file of ["rx-%/rps_cpus", "rx-%/rps_flow_cnt", "tx-%/xps_cpus"])
      write(`${card}/net/eth0/queues/${file.replace("%", String(queue))}`, "0\n");
  }
  for (const disk of disks) {
    const device = `/sys/devices/pci0000:80/0000:80:${(disk + 1).toString(16).padStart(2, "0")}.0`;
    const block = `${device}/nvme/nvme${disk}/nvme${disk}n1`;
    link(`/sys/class/block/nvme${disk}n1`, block);
    write(`${block}/queue/scheduler`, "[mq-deadline] none\n");
    write(`${block}/queue/nomerges`, "0\n");
    write(`${block}/queue/write_cache`, "write back\n");
    for (let vector = 0; vector < vectors; vector++) addIrq(device, `nvme${disk}q${vector}`);
  }
  const header = cpus.map((cpu) => `CPU${cpu}`).join("  ");
  write("/proc/interrupts", `${[header, ...interrupts].join("\n")}\n`);
}

function writeCpus(write: (path: string, text: string) => void): void {
  const folder = "/sys/devices/system/cpu";
  write(`${folder}/present`, "0-255\n");
  write(`${folder}/offline`, "\n");
  for (const cpu of cpus) {
    const core = cpu % 128;
    const topology = `${folder}/cpu${cpu}/topology`;
    write(`${topology}/core_id`, `${core % 64}\n`);
    write(`${topology}/physical_package_id`, `${Math.floor(core / 64)}\n`);
    write(`${folder}/cpu${cpu}/online`, "1\n");
    write(`${topology}/thread_siblings_list`, `${core},${core + 128}\n`);
    write(`${topology}/core_cpus_list`, `${core},${core + 128}\n`);
    write(`${topology}/core_cpus`, `${formatMask([core, core + 128])}\n`);
  }
  for (const node of nodes)
    write(
      `/sys/devices/system/node/node${node}/cpulist`,
      `${64 * node}-${64 * node + 63},${128 + 64 * node}-${191 + 64 * node}\n`,
    );
}

export const largeHostArguments = {
  nics: ["eth0"],
  devices: disks.map((disk) => `nvme${disk}n1`),
  irqs: queues.length + disks.length * vectors,
};
