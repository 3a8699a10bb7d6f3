import type { CpuTopology } from "../../../language/cpu/cpu-topology.ts";

/**
 * What the plan reads of a host. Facts are as the kernel shows them, in the order in which it numbers them; what follows from
 * them is decided by the plan. Facts of a component that is not tuned may be left out.
 */
export interface HostFacts {
  readonly topology: CpuTopology;
  /**
   * Whether the kernel says which CPUs share a core or a socket: one of `package_cpus`, `core_cpus`, `core_siblings`,
   * `thread_siblings` is in the `topology` folder of a CPU.
   */
  readonly hasSiblings: boolean;
  /** By IRQ: the text of its line in /proc/interrupts, without the counters. */
  readonly interrupts: ReadonlyMap<number, string>;
  /** By `--nic`, in the order of the options. */
  readonly nics?: readonly RequestedNic[];
  /** By `--dir` and `--dev`. */
  readonly disks?: DiskFacts;
  readonly net?: NetFacts;
  readonly irqbalance?: IrqbalanceFacts;
  readonly clock?: ClockFacts;
}

/** What an interface that the user names consists of. */
export type RequestedNic =
  /** The device itself, or those below a bond, a VLAN or a bridge, each once. */
  | { readonly type: "devices"; readonly name: string; readonly devices: readonly NicFacts[] }
  | { readonly type: "missing"; readonly name: string }
  /** It has no device, and no interface with a device is below it. */
  | { readonly type: "virtual"; readonly name: string };

/** An interface with a device. */
export interface NicFacts {
  readonly name: string;
  /** As `ethtool -i` has it; empty if it is unknown. */
  readonly driver: string;
  /** All IRQs of the device; which of them serve queues is decided by their names. */
  readonly irqs: readonly number[];
  /** N of `queues/rx-N/rps_cpus`. */
  readonly rpsQueues: readonly number[];
  /** N of `queues/rx-N/rps_flow_cnt`. */
  readonly flowQueues: readonly number[];
  /** N of `queues/tx-N/xps_cpus`. */
  readonly xpsQueues: readonly number[];
  /** As `ethtool -l` has them; undefined where the driver does not tell. */
  readonly channels?: { readonly maximum: ChannelCounts; readonly current: ChannelCounts };
}

/** A kind that the driver does not have is undefined. */
export interface ChannelCounts {
  readonly rx?: number;
  readonly tx?: number;
  readonly other?: number;
  readonly combined?: number;
}

export interface DiskFacts {
  /** Each device once, also if several directories lead to it. Members of an array instead of the array. */
  readonly devices: readonly DiskDeviceFacts[];
  /** `--dir` and `--dev` that lead to no device, and why: `/data: no such directory`. */
  readonly unresolved: readonly string[];
  /** The instance type of a machine at AWS, where it is known: only some of the NVMe vectors of an `i3` are used. */
  readonly instanceType?: string;
}

export interface DiskDeviceFacts {
  /** `nvme0n1`, `sda1` */
  readonly name: string;
  /** Of its controller. */
  readonly irqs: readonly number[];
  /** Each of the device itself, or of the nearest device above that has it. */
  readonly scheduler?: AttributeFile;
  readonly nomerges?: AttributeFile;
  readonly writeCache?: AttributeFile;
}

export interface AttributeFile {
  readonly path: string;
  readonly text: string;
}

export interface NetFacts {
  /** Undefined where the kernel has no `net.core.rps_sock_flow_entries`. */
  readonly flowEntries?: number;
  readonly memoryBytes: number;
  readonly pageBytes: number;
}

/** The daemon irqbalance, if it runs. */
export interface IrqbalanceFacts {
  /** irqbalance.service is in /lib/systemd/system or /usr/lib/systemd/system. */
  readonly hasUnit: boolean;
  /** Its text: it says which variable has the options. */
  readonly unitText?: string;
  /** /proc/1/comm says so. */
  readonly isSystemd: boolean;
  /** The first that exists of /etc/default/irqbalance, /etc/sysconfig/irqbalance, /etc/conf.d/irqbalance. */
  readonly config?: AttributeFile;
  /** Whether `<config>.scylla.orig` exists. */
  readonly hasBackup: boolean;
  /** IRQs that an earlier run banned, by our record, or by `<config>.scylla.orig` where another tuner banned them. */
  readonly bannedByUs: readonly number[];
}

export interface ClockFacts {
  /** As `systemd-detect-virt` prints it. */
  readonly virtualisation: string;
  /** As `uname -m` prints it. */
  readonly architecture: string;
  readonly available: readonly string[];
  readonly current: string;
}
