/**
 * What Attune does where it differs from what was recorded. Each is in a table of docs/scylla-parity.md, with the reason.
 */
type Deeds = readonly ({ readonly run: string; readonly ok: boolean } | Written | { backup: string; to: string })[];
interface Written {
  readonly write: string;
  readonly value: string;
}

export const differences: {
  /** Options that are dumped. */
  readonly options: Readonly<Record<string, object>>;
  /** What is done to the host, from what was recorded. */
  readonly actions: Readonly<Record<string, (recorded: Deeds) => Deeds>>;
  /** Lists of CPUs that are errors. */
  readonly lists: Readonly<Record<string, "malformed">>;
} = {
  options: {
    o15: {
      arfs: 1,
      cpu_mask: "0x000000ff",
      irq_core_auto_detection_ratio: 16,
      nic: ["eth0"],
      tune: ["net"],
      write_back_cache: 1,
    },
    o16: {
      cpu_mask: "0x000000ff",
      irq_core_auto_detection_ratio: 20,
      nic: ["eth0"],
      num_rx_queues: "2",
      tune: ["net"],
    },
  },
  actions: {
    "nic-ena-auto-8cpu": (all) => all.filter((deed) => !("write" in deed && /irq\/2[678]/.test(deed.write))),
    "nic-virtio": (all) => all.filter((deed) => !("write" in deed && deed.write.includes("irq/50/"))),
    "disk-iscsi": (all) => [
      { write: "/sys/devices/platform/host3/session1/target3:0:0/3:0:0:0/block/sdb/queue/scheduler", value: "none" },
      ...all,
    ],
    "irqbalance-unquoted": (all) =>
      all.map((deed) =>
        "write" in deed ? { ...deed, value: deed.value.replace("ARGS= --ban", 'ARGS=" --ban') } : deed,
      ),
  },
  lists: { "5-3": "malformed", "1-2-3": "malformed" },
};
