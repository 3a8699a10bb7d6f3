import { MemoryBase } from "../../node/host/memory-base.ts";
import { firstDefaults, grubPaths } from "./boot/boot-loader.ts";
import { chooseEntry, commandLine, grubConfig } from "./boot/grub-config.ts";
import { readGrubDefaults } from "./boot/grub-defaults.ts";
import { formatRanges } from "../../language/cpu/cpu-set.ts";
import { card, dataMounts, deviceFiles } from "./device-files.ts";
import { hardwareFiles } from "./hardware-files.ts";
import { archPath, releasePath } from "./machine-programs.ts";
import { baseUnitLinks, baseUnits, kubeletDropIns } from "./systemd/base-units.ts";
import type { Topology } from "./topology.ts";

export const smallMachine: Topology = { cpus: 4, memoryMiB: 8192, architecture: "amd64", kernelRelease: "6.12.0" };

export const bootIdPath = "/proc/sys/kernel/random/boot_id";

/** The kernel's defaults. */
const sysctls: Record<string, string> = {
  "fs/aio-max-nr": "65536",
  "fs/file-max": "9223372036854775807",
  "fs/inotify/max_user_instances": "128",
  "fs/inotify/max_user_watches": "62167",
  "kernel/hung_task_timeout_secs": "120",
  "kernel/nmi_watchdog": "1",
  "kernel/numa_balancing": "0",
  "kernel/pid_max": "32768",
  "kernel/sched_rt_runtime_us": "950000",
  "kernel/shmmni": "4096",
  "kernel/timer_migration": "1",
  "net/core/busy_poll": "0",
  "net/core/busy_read": "0",
  "net/core/somaxconn": "4096",
  "net/ipv4/conf/all/arp_announce": "0",
  "net/ipv4/ip_forward": "1",
  "net/ipv4/neigh/default/gc_thresh1": "128",
  "net/ipv4/neigh/default/gc_thresh2": "512",
  "net/ipv4/neigh/default/gc_thresh3": "1024",
  "net/ipv4/tcp_fastopen": "1",
  "net/ipv4/tcp_notsent_lowat": "4294967295",
  "net/ipv4/tcp_rmem": "4096\t131072\t6291456",
  "net/ipv4/tcp_slow_start_after_idle": "1",
  "net/ipv4/tcp_wmem": "4096\t16384\t4194304",
  "net/ipv6/neigh/default/gc_thresh1": "128",
  "net/ipv6/neigh/default/gc_thresh2": "512",
  "net/ipv6/neigh/default/gc_thresh3": "1024",
  "net/netfilter/nf_conntrack_max": "262144",
  "vm/dirty_background_bytes": "0",
  "vm/dirty_background_ratio": "10",
  "vm/dirty_bytes": "0",
  "vm/dirty_ratio": "20",
  "vm/max_map_count": "65530",
  "vm/stat_interval": "1",
  "vm/swappiness": "60",
};

/** Writable files of devices: a disk, transparent huge pages, connection tracking. */
const tunables: Record<string, string> = {
  "/sys/block/vda/queue/read_ahead_kb": "128",
  "/sys/block/vda/queue/scheduler": "[none] mq-deadline",
  "/sys/kernel/mm/transparent_hugepage/defrag": "always defer defer+madvise [madvise] never",
  "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
  "/sys/module/nf_conntrack/parameters/hashsize": "65536",
};

const deviceLinks: readonly [string, string][] = [
  ["/sys/block/vda/device/subsystem", "/sys/bus/virtio"],
  [`/sys/class/net/${card.name}`, card.path],
];

/** Without it a kubelet sets extended resources of its Node to 0 when it starts: it takes the node for a new one. */
export const deviceCheckpoint = "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";

const cpuFolder = "/sys/devices/system/cpu";

/** The files that all machines of a topology share: those after the first boot. */
export class MachineBase extends MemoryBase {
  readonly topology: Topology;

  constructor(topology: Topology, ...files: ConstructorParameters<typeof MemoryBase>) {
    super(...files);
    this.topology = topology;
  }
}

/** Device plugins of an OpenShift node have registered before: its kubelet keeps resources that it does not know. */
function kubeletFiles({ kubelet, reservedCpus }: Topology): [path: string, text: string][] {
  const checkpoint: [string, string][] = kubelet === "openshift" ? [[deviceCheckpoint, "{}"]] : [];
  if (!reservedCpus) return checkpoint;
  const reserved = `cpuManagerPolicy: static\nreservedSystemCPUs: "${formatRanges(reservedCpus)}"\n`;
  // Any other file of the directory is read after it.
  return [...checkpoint, [`${kubeletDropIns}/00-lab.conf`, reserved]];
}

export function machineBase(topology: Topology): MachineBase {
  const { cpus, architecture, kernelRelease } = topology;
  const hardware = hardwareFiles(topology);
  const devices = deviceFiles(topology);
  const mounts = `22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n${dataMounts(topology)}`;
  const boot = grubConfig(readGrubDefaults([firstDefaults]), kernelRelease, []);
  const facts: (readonly [string, string])[] = [
    ["/proc/cmdline", `${commandLine(chooseEntry({ config: boot, custom: "", environment: "" }).entry)}\n`],
    // systemd makes the root a shared mount.
    ["/proc/1/mountinfo", mounts],
    ["/proc/self/mountinfo", mounts],
    [archPath, architecture === "amd64" ? "x86_64\n" : "aarch64\n"],
    [releasePath, `${kernelRelease}\n`],
    ["/sys/block/vda/removable", "0\n"],
    [`${card.path}/ifindex`, "2\n"],
    [bootIdPath, ""],
    ...hardware.facts,
    ...devices.facts,
  ];
  const files = [...hardware.files, ...devices.files, ...baseUnits(topology), ...kubeletFiles(topology)];
  files.push([grubPaths.defaults, firstDefaults], [grubPaths.config, boot]);
  const links = [...deviceLinks, ...baseUnitLinks(topology), ...hardware.links, ...devices.links];
  for (let cpu = 0; cpu < cpus; cpu++) {
    const policy = `${cpuFolder}/cpufreq/policy${cpu}`;
    links.push([`${cpuFolder}/cpu${cpu}/cpufreq`, policy]);
    facts.push(
      [`${policy}/scaling_available_governors`, "performance powersave\n"],
      [
        `${policy}/energy_performance_available_preferences`,
        "default performance balance_performance balance_power power\n",
      ],
    );
    files.push(
      [`${cpuFolder}/cpu${cpu}/power/energy_perf_bias`, "6\n"],
      [`${policy}/boost`, "1\n"],
      [`${policy}/energy_performance_preference`, "balance_performance\n"],
      [`${policy}/scaling_governor`, "powersave\n"],
      [`${policy}/scaling_max_freq`, "3500000\n"],
    );
  }
  for (const [name, value] of Object.entries(sysctls)) files.push([`/proc/sys/${name}`, `${value}\n`]);
  for (const [path, value] of Object.entries(tunables)) files.push([path, `${value}\n`]);
  return new MachineBase(
    topology,
    [...facts, ...files],
    facts.map(([path]) => path),
    links,
  );
}
