import { formatMask } from "../../language/cpu/cpu-mask.ts";
import type { HardwareFiles } from "./hardware-files.ts";
import type { Topology } from "./topology.ts";

type File = readonly [path: string, text: string];

const cardDevice = "/sys/devices/pci0000:00/0000:00:03.0/virtio0";

/** The network card of every machine. */
export const card = { name: "eth0", path: `${cardDevice}/net/eth0` } as const;

/** How many queues the card has at most; only a card with queues has it. */
export const mostQueuesFile = `/run/lab/queues/${card.name}`;

export const interruptsFile = "/proc/interrupts";

const firstCardIrq = 40;
const disk = { name: "nvme0n1", number: "259:0", pci: "/sys/devices/pci0000:00/0000:00:04.0" } as const;
const diskPath = `${disk.pci}/nvme/nvme0/${disk.name}`;
/** Of the disk for data. */
export const schedulerFile = `${diskPath}/queue/scheduler`;

/** What the kernel shows when one of them is chosen. */
export function schedulers(chosen: string): string {
  return `${["none", "mq-deadline"].map((name) => (name === chosen ? `[${name}]` : name)).join(" ")}\n`;
}

/** Below those of the card. */
const diskIrqs = [30, 31];

/** Files of the network card's queues and of the disk for data, if the topology has them. `cpus` are those of the machine. */
export function deviceFiles({ networkQueues, dataDisk, cpus }: Topology): HardwareFiles {
  const parts = [networkQueues === undefined ? none : cardFiles(networkQueues, cpus)];
  if (dataDisk !== undefined) parts.push(diskFiles(dataDisk, cpus));
  const interrupts = interruptsOf(networkQueues ?? 0, dataDisk !== undefined);
  return {
    facts: [
      ...parts.flatMap(({ facts }) => facts),
      ...(interrupts === "" ? [] : [[interruptsFile, interrupts] as const]),
    ],
    files: parts.flatMap(({ files }) => files),
    links: parts.flatMap(({ links }) => links),
  };
}

/** Lines of the kernel's mounts besides that of the root. */
export function dataMounts({ dataDisk }: Topology): string {
  return dataDisk === undefined
    ? ""
    : `30 22 ${disk.number} / ${dataDisk} rw,relatime shared:2 - xfs /dev/${disk.name} rw\n`;
}

const none: HardwareFiles = { facts: [], files: [], links: [] };

function cardFiles(queues: number, cpus: number): HardwareFiles {
  return {
    facts: [
      [`${cardDevice}/modalias`, "virtio:d00000001v00001AF4\n"],
      [mostQueuesFile, `${queues}\n`],
    ],
    files: Array.from({ length: queues }, (_, queue) => queueFiles(queue, cpus)).flat(),
    links: [
      [`${card.path}/device`, cardDevice],
      [`${cardDevice}/driver`, "/sys/bus/virtio/drivers/virtio_net"],
    ],
  };
}

/** Of one queue, as the driver makes them: its interrupts may be served by every CPU. */
export function queueFiles(queue: number, cpus: number): File[] {
  const nothing = `${formatMask([])}\n`;
  return [
    [`${card.path}/queues/rx-${queue}/rps_cpus`, nothing],
    [`${card.path}/queues/rx-${queue}/rps_flow_cnt`, "0\n"],
    [`${card.path}/queues/tx-${queue}/xps_cpus`, nothing],
    ...irqsOfQueue(queue).flatMap(({ irq }) => irqFiles(irq, cpus)),
  ];
}

function irqFiles(irq: number, cpus: number): File[] {
  const all = Array.from({ length: cpus }, (_, cpu) => cpu);
  return [
    [`/proc/irq/${irq}/smp_affinity`, `${formatMask(all)}\n`],
    [`/proc/irq/${irq}/smp_affinity_list`, cpus === 1 ? "0\n" : `0-${cpus - 1}\n`],
  ];
}

function irqsOfQueue(queue: number): { irq: number; name: string }[] {
  return ["input", "output"].map((direction, index) => ({
    irq: firstCardIrq + 2 * queue + index,
    name: `virtio0-${direction}.${queue}`,
  }));
}

/** The kernel's list of interrupts, with a card of so many queues; empty if there is none. */
export function interruptsOf(queues: number, hasDisk: boolean): string {
  const ofDisk = hasDisk ? diskIrqs.map((irq, queue) => ({ irq, name: `nvme0q${queue}` })) : [];
  const ofCard = Array.from({ length: queues }, (_, queue) => irqsOfQueue(queue)).flat();
  const lines = [...ofDisk, ...ofCard].map(
    ({ irq, name }) => `${String(irq).padStart(4)}:          0  PCI-MSI ${irq}-edge  ${name}\n`,
  );
  return lines.length === 0 ? "" : `            CPU0\n${lines.join("")}`;
}

function diskFiles(mounted: string, cpus: number): HardwareFiles {
  return {
    facts: [
      [`${diskPath}/uevent`, `DEVNAME=${disk.name}\nDEVTYPE=disk\n`],
      [`${diskPath}/dev`, `${disk.number}\n`],
      [`${diskPath}/removable`, "0\n"],
      ...diskIrqs.map((irq): File => [`${disk.pci}/msi_irqs/${irq}`, "msix\n"]),
      // The kernel manages interrupts of NVMe queues itself, and lets nobody move them.
      ...diskIrqs.flatMap((irq) => irqFiles(irq, cpus)),
    ],
    files: [
      [`/dev/${disk.name}`, ""],
      [`${mounted}/.lab`, ""],
      [schedulerFile, schedulers("mq-deadline")],
      [`${diskPath}/queue/nomerges`, "0\n"],
      [`${diskPath}/queue/read_ahead_kb`, "128\n"],
      [`${diskPath}/queue/write_cache`, "write back\n"],
    ],
    links: [
      [`/sys/class/block/${disk.name}`, diskPath],
      [`/sys/block/${disk.name}`, diskPath],
      [`/sys/dev/block/${disk.number}`, diskPath],
      [`${diskPath}/device`, `${disk.pci}/nvme/nvme0`],
    ],
  };
}
