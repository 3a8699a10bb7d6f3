import type { GivenMask } from "../masks/mask-text.ts";

export const components = ["disks", "net", "system"] as const;
export type PerftuneComponent = (typeof components)[number];

/** How interrupts and the database share the CPUs, where no mask says so. `auto` looks at the machine. */
export const modes = ["auto", "sq", "sq_split", "mq", "no_irq_restrictions"] as const;
export type PerftuneMode = (typeof modes)[number];

/** Options of a run: of the command line and of its options file, with defaults. */
export interface PerftuneOptions {
  readonly tune: readonly PerftuneComponent[];
  readonly mode: PerftuneMode;
  /** `--nic`, each once */
  readonly nics: readonly string[];
  /** `--dir`, each once */
  readonly directories: readonly string[];
  /** `--dev`, each once */
  readonly devices: readonly string[];
  /** Undefined: all CPUs of the machine. */
  readonly cpuMask?: GivenMask;
  /** Undefined: by the mode. */
  readonly irqCpuMask?: GivenMask;
  readonly coresPerIrqCore: number;
  /** Undefined: one for each IRQ CPU. */
  readonly rxQueues?: number;
  /** Undefined: off if interrupts have CPUs of their own, else on. */
  readonly arfs?: boolean;
  /** Undefined: not touched. */
  readonly writeBackCache?: boolean;
  readonly tcpMemFraction: number;
  readonly tuneClock: boolean;
}

export const defaultCoresPerIrqCore = 16;
export const leastCoresPerIrqCore = 5;
export const defaultNic = "eth0";
export const defaultTcpMemFraction = 0.03;
