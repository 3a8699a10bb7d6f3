import { randomUUID } from "node:crypto";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";

/** What a kind of machine is made of. */
export interface Topology {
  cpus: number;
  memoryMiB: number;
  architecture: "amd64" | "arm64";
  kernelRelease: string;
}

export const smallMachine: Topology = { cpus: 4, memoryMiB: 8192, architecture: "amd64", kernelRelease: "6.12.0" };

const bootIdPath = "/proc/sys/kernel/random/boot_id";

/** What a kernel has before anybody tunes it. */
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
  "vm/dirty_background_ratio": "10",
  "vm/dirty_ratio": "20",
  "vm/max_map_count": "65530",
  "vm/nr_hugepages": "0",
  "vm/stat_interval": "1",
  "vm/swappiness": "60",
};

/** The files that all machines of a kind share. */
export function machineBase({ cpus, kernelRelease }: Topology): MemoryBase {
  const all = cpus > 1 ? `0-${cpus - 1}\n` : "0\n";
  const files: [string, string][] = [
    ["/proc/sys/kernel/osrelease", `${kernelRelease}\n`],
    ["/sys/devices/system/cpu/online", all],
    ["/sys/devices/system/cpu/possible", all],
    ["/sys/devices/system/cpu/present", all],
    [bootIdPath, ""],
  ];
  for (const [name, value] of Object.entries(sysctls)) files.push([`/proc/sys/${name}`, `${value}\n`]);
  const readOnly = files.map(([path]) => path).filter((path) => path.startsWith("/sys/") || path.endsWith("osrelease"));
  return new MemoryBase(files, [...readOnly, bootIdPath]);
}

/** One machine, freshly started. */
export function machine(base: MemoryBase, bootId: string = randomUUID()): MemoryHost {
  const host = new MemoryHost(base, [["uname", uname]]);
  host.put(bootIdPath, `${bootId}\n`);
  return host;
}

async function uname(args: readonly string[], host: MemoryHost): ReturnType<MemoryHost["run"]> {
  if (args.join(" ") !== "-r") return { type: "failed", message: `uname ${args.join(" ")}: only uname -r exists here` };
  return host.run(["cat", "/proc/sys/kernel/osrelease"]);
}
