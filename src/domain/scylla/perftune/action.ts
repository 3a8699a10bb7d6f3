/** One change of the host, in the order of the plan. Its original is recorded before it is made. The run goes on if the host refuses it. */
export type PerftuneAction =
  /** A file of the kernel, in one write. A trailing newline is not part of the value. */
  | { readonly type: "write"; readonly path: string; readonly value: string; readonly refusal: Refusal }
  /**
   * `ethtool -L NIC KIND COUNT`, with the first kind that the driver accepts. With none, the plan is made for the queues that
   * there are.
   */
  | {
      readonly type: "set-channels";
      readonly nic: string;
      readonly count: number;
      readonly kinds: readonly ChannelKind[];
    }
  /** `ethtool -K NIC ntuple on|off`. Drivers without the feature refuse it, which is expected. */
  | { readonly type: "set-ntuple"; readonly nic: string; readonly on: boolean }
  /** The config file of irqbalance. */
  | {
      readonly type: "ban-irqs";
      readonly path: string;
      /** The whole file. What changes in it is the line that assigns `key`. */
      readonly text: string;
      readonly key: string;
      readonly line: string;
      /** Where the file is copied first, unless there is a copy. */
      readonly backup: string;
      readonly hasBackup: boolean;
      /** Banned by us, by this run or before. They are recorded, so that a later run removes those that are stale. */
      readonly irqs: readonly number[];
    }
  /** A program that makes a change effective: its failure fails the run. */
  | { readonly type: "run"; readonly argv: readonly string[] };

/** What it means that the kernel refuses a write. */
export type Refusal =
  /** The user reads it. */
  | "warned"
  /** The kernel keeps most vectors of NVMe devices to itself (EIO): the user reads it with `--verbose`, and how many there were. */
  | "expected";

export type ChannelKind = "rx" | "combined";
