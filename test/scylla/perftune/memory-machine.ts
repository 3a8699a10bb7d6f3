import { formatMask } from "../../../src/language/cpu/cpu-mask.ts";
import { coresOf, type CpuTopology, onlineCpus } from "../../../src/language/cpu/cpu-topology.ts";
import type { CommandResult, Outcome, RunOptions } from "../../../src/node/host/host.ts";
import { MemoryBase } from "../../../src/node/host/memory-base.ts";
import { MemoryHost } from "../../../src/node/host/memory-host.ts";
import { machine } from "./recorded.ts";
import type { RecordedHost, RecordedNic } from "./recorded-host.ts";

/** What a program did to the machine. */
export type Deed =
  | { readonly run: string; readonly ok: boolean }
  | { readonly write: string; readonly value: string }
  | { readonly backup: string; readonly to: string };

export interface MachineOptions {
  /** Whether `ethtool -l` tells the number of queues. What was recorded does not say so. */
  readonly tellsChannels?: boolean;
}

const cpuFolder = "/sys/devices/system/cpu";

/** A recorded host with a kernel's files, links and programs, which notes what is done to it. */
export class MemoryMachine extends MemoryHost {
  readonly deeds: Deed[] = [];
  /** By path, where the kernel refuses writes. */
  readonly refusals = new Map<string, string>();
  readonly #base: MemoryBase;
  readonly #host: RecordedHost;
  readonly #tells: boolean;
  readonly #ntuple = new Map<string, "on" | "off">();
  readonly #queues = new Map<string, number>();

  constructor(host: RecordedHost, text: string, { tellsChannels = false }: MachineOptions = {}) {
    const base = baseOf(host, machine(text));
    super(base);
    this.#base = base;
    this.#host = host;
    this.#tells = tellsChannels;
    for (const path of host.failWrites ?? []) this.refusals.set(path, "EIO");
  }

  override async write(path: string, text: string): Promise<Outcome> {
    const code = this.refusals.get(path);
    if (code !== undefined) return { type: "failed", code, message: `${code}: ${path}` };
    const before = await this.read(path);
    this.deeds.push({ write: withoutLink(path), value: text.trimEnd() });
    if (before.type === "text" && before.text.includes("[") && path.endsWith("/scheduler")) {
      const words = before.text.replaceAll(/[[\]]/g, "").trim().split(" ");
      this.put(path, `${words.map((word) => (word === text ? `[${word}]` : word)).join(" ")}\n`);
      return { type: "done" };
    }
    return super.write(path, text);
  }

  override async replace(path: string, content: string | Uint8Array, as?: number): Promise<Outcome> {
    const code = this.refusals.get(path);
    if (code !== undefined) return { type: "failed", code, message: `${code}: ${path}` };
    if (path.endsWith(".scylla.orig")) this.deeds.push({ backup: path.replace(/\.scylla\.orig$/, ""), to: path });
    else if (!path.startsWith("/var/lib/attune/")) this.deeds.push({ write: path, value: String(content) });
    return super.replace(path, content, as);
  }

  override async run(argv: readonly string[], options?: RunOptions): Promise<CommandResult> {
    const [program, option = "", nic = ""] = argv;
    if (program === "systemd-detect-virt") return answer(this.#host.virt ?? "none", this.#host.virt ? 0 : 1);
    if (program !== "ethtool") {
      if (program === "df") return answer("", 1);
      if (program !== "systemctl" && program !== "/etc/init.d/irqbalance") return super.run(argv, options);
      return this.#did(argv, true);
    }
    const card = this.#host.nics?.[nic];
    if (!card) return answer("", 1);
    if (option === "-i") return answer(`driver: ${card.driver ?? ""}\n`);
    if (option === "-l") return this.#tells ? answer(this.#channels(nic, card)) : answer("", 1);
    if (option === "-k") return answer(`Features for ${nic}:\nntuple-filters: ${this.#ntupleOf(nic)}\n`);
    if (option === "-K") {
      this.#ntuple.set(nic, argv[4] === "on" ? "on" : "off");
      return this.#did(argv, true);
    }
    return this.#did(argv, this.#resize(nic, card, argv.slice(3)));
  }

  ntuple(): ReadonlyMap<string, "on" | "off"> {
    return this.#ntuple;
  }

  /** Before a change the feature has the state that no test asks for. */
  #ntupleOf(nic: string): string {
    return this.#ntuple.get(nic) ?? "unset";
  }

  #did(argv: readonly string[], ok: boolean): CommandResult {
    this.deeds.push({ run: argv.join(" "), ok });
    return answer("", ok ? 0 : 1);
  }

  #kind(card: RecordedNic): "RX" | "Combined" {
    return Object.keys(card.setChannels ?? {}).some((words) => words.startsWith("rx")) ? "RX" : "Combined";
  }

  #channels(nic: string, card: RecordedNic): string {
    const of = (count: number): string =>
      ["RX", "TX", "Other", "Combined"]
        .map((kind) => `${kind}:\t\t${kind === this.#kind(card) ? count : "n/a"}\n`)
        .join("");
    const can = card.setChannels ? (card.rx ?? 0) : 0;
    const current = this.#queues.get(nic) ?? card.rx ?? 0;
    return `Channel parameters for ${nic}:\nPre-set maximums:\n${of(can)}Current hardware settings:\n${of(current)}`;
  }

  /** The number of before can be set, too. */
  #resize(nic: string, card: RecordedNic, words: readonly string[]): boolean {
    const change = card.setChannels?.[words.join(" ")];
    const isBefore =
      this.#tells && card.setChannels && words.join(" ") === `${this.#kind(card).toLowerCase()} ${card.rx}`;
    if (!change && !isBefore) return false;
    const rx = change?.rxAfter ?? card.rx ?? 0;
    this.#queues.set(nic, rx);
    for (let queue = 0; queue < (card.rx ?? 0); queue++)
      for (const file of ["rps_cpus", "rps_flow_cnt"])
        this.#exists(`/sys/class/net/${nic}/queues/rx-${queue}/${file}`, queue < rx);
    const gone = new Set(change?.irqsGone ?? []);
    for (const irq of card.msi ?? []) {
      this.#exists(`/proc/irq/${irq}/smp_affinity`, !gone.has(irq));
      this.#exists(`/sys/class/net/${nic}/device/msi_irqs/${irq}`, !gone.has(irq));
    }
    this.put(
      "/proc/interrupts",
      interruptsOf(
        { ...this.#host.interrupts },
        gone,
        (this.#base.read("/proc/interrupts") ?? "").split("\n")[0] ?? "",
      ),
    );
    return true;
  }

  #exists(path: string, there: boolean): void {
    const file = this.#realOf(path);
    if (!there) this.put(file, undefined);
    else if (this.changes().get(file) === undefined) this.put(file, this.#base.read(file));
  }

  #realOf(path: string): string {
    const [, nic = "", rest = ""] = /^\/sys\/class\/net\/([^/]+)\/(.*)$/.exec(path) ?? [];
    if (nic === "") return path;
    const folder = this.#base.linkOf(`/sys/class/net/${nic}`) ?? "";
    return rest.startsWith("device/")
      ? `${this.#base.linkOf(`${folder}/device`)}/${rest.slice(7)}`
      : `${folder}/${rest}`;
  }
}

/** The engine writes below the real paths of links. */
function withoutLink(path: string): string {
  const [, nic, rest] = /^\/sys\/devices\/.*\/net\/([^/]+)\/(.*)$/.exec(path) ?? [];
  return nic === undefined ? path : `/sys/class/net/${nic}/${rest}`;
}

function answer(stdout: string, code = 0): CommandResult {
  return { type: "exited", code, stdout, stderr: code === 0 ? "" : "refused\n" };
}

function interruptsOf(interrupts: Readonly<Record<string, string>>, gone: ReadonlySet<number>, header: string): string {
  const counters = header
    .trim()
    .split(/\s+/)
    .map(() => "          0")
    .join(" ");
  const lines = Object.entries(interrupts).flatMap(([irq, text]) =>
    gone.has(Number(irq)) ? [] : [`${irq.padStart(4)}: ${counters}  ${text}`],
  );
  return `${[header, ...lines, `NMI: ${counters}   Non-maskable interrupts`].join("\n")}\n`;
}

/** The files of a kernel on this machine, as far as perftune reads them. */
function baseOf(host: RecordedHost, topology: CpuTopology): MemoryBase {
  const files = new Map<string, string>([
    ["/proc/sys/kernel/random/boot_id", "boot-1\n"],
    ["/proc/sys/kernel/arch", "x86_64\n"],
    ["/proc/meminfo", `MemTotal: ${Math.floor((host.memBytes ?? 64 * 2 ** 30) / 1024)} kB\n`],
    ["/proc/1/comm", "systemd\n"],
    ["/proc/1/stat", "1 (systemd) S 0\n"],
    ["/proc/7/stat", "7 (irqbalance) Z 1\n"],
    ["/proc/sys/net/core/somaxconn", "128\n"],
    ["/proc/sys/net/ipv4/tcp_max_syn_backlog", "512\n"],
    ["/proc/sys/net/ipv4/tcp_mem", "1\t2\t3\n"],
    ...cpuFiles(topology),
    ...Object.entries(host.extraFiles ?? {}),
  ]);
  if (host.rfsPresent !== false) files.set("/proc/sys/net/core/rps_sock_flow_entries", "0\n");
  const cpus = onlineCpus(topology);
  const all = `${formatMask(cpus)}\n`;
  files.set(
    "/proc/interrupts",
    interruptsOf(host.interrupts ?? {}, new Set(), cpus.map((cpu) => `CPU${cpu}`).join("  ")),
  );
  for (const irq of Object.keys(host.interrupts ?? {})) files.set(`/proc/irq/${irq}/smp_affinity`, all);
  for (const [index, name] of (host.processes ?? []).entries())
    files.set(`/proc/${500 + index}/stat`, `${500 + index} (${name}) S 1\n`);

  const links = new Map<string, string>();
  const names = Object.keys(host.nics ?? {});
  for (const [name, nic] of Object.entries(host.nics ?? {}))
    addNic(name, nic, { files, links, slot: names.indexOf(name) });
  addDisks(host, files, links);
  return new MemoryBase(files, [], links);
}

function* cpuFiles(topology: CpuTopology): Generator<readonly [string, string]> {
  const cpus = onlineCpus(topology);
  yield [`${cpuFolder}/present`, `0-${Math.max(...cpus)}\n`];
  yield [`${cpuFolder}/offline`, "\n"];
  for (const { id, cpus: own, socket } of coresOf(topology))
    for (const cpu of own) {
      const folder = `${cpuFolder}/cpu${cpu}/topology`;
      yield [`${folder}/core_id`, `${id}\n`];
      yield [`${folder}/physical_package_id`, `${socket}\n`];
      yield [`${folder}/core_cpus_list`, `${own.join(",")}\n`];
      yield [`${folder}/core_cpus`, `${formatMask(own)}\n`];
    }
  for (const { id, cores } of topology.numaNodes)
    yield [`/sys/devices/system/node/node${id}/cpulist`, `${cores.flatMap(({ cpus: own }) => own).join(",")}\n`];
}

interface Adding {
  readonly files: Map<string, string>;
  readonly links: Map<string, string>;
  readonly slot: number;
}

function addNic(name: string, nic: RecordedNic, { files, links, slot }: Adding): void {
  const pci = `/sys/devices/pci0000:00/0000:00:${(16 + slot).toString(16)}.0`;
  const [virtio] = nic.virtioDevices ?? [];
  const device = virtio === undefined ? pci : `${pci}/${virtio}`;
  const folder = nic.kind === "virtual" ? `/sys/devices/virtual/net/${name}` : `${device}/net/${name}`;
  links.set(`/sys/class/net/${name}`, folder);
  files.set(`${folder}/mtu`, "1500\n");
  if (nic.bondSlaves) files.set(`${folder}/bonding/slaves`, `${nic.bondSlaves.join(" ")}\n`);
  for (const lower of nic.lower ?? []) links.set(`${folder}/lower_${lower}`, `/sys/class/net/${lower}`);
  if (nic.kind === "virtual") return;
  links.set(`${folder}/device`, device);
  files.set(`${device}/modalias`, virtio === undefined ? "pci:v00001D0F\n" : "virtio:d00000001v00001AF4\n");
  for (const irq of nic.msi ?? []) files.set(`${device}/msi_irqs/${irq}`, "msix\n");
  for (let queue = 0; queue < (nic.rx ?? 0); queue++) {
    files.set(`${folder}/queues/rx-${queue}/rps_cpus`, "00000000\n");
    files.set(`${folder}/queues/rx-${queue}/rps_flow_cnt`, "0\n");
  }
  for (let queue = 0; queue < (nic.tx ?? 0); queue++) files.set(`${folder}/queues/tx-${queue}/xps_cpus`, "00000000\n");
}

function addDisks(host: RecordedHost, files: Map<string, string>, links: Map<string, string>): void {
  for (const [name, { sysPath, queue = {}, devno }] of Object.entries(host.block ?? {})) {
    links.set(`/sys/class/block/${name}`, sysPath);
    if (devno !== undefined) links.set(`/sys/dev/block/8:${devno}`, sysPath);
    files.set(`${sysPath}/size`, "1\n");
    for (const [file, text] of Object.entries(queue)) files.set(`${sysPath}/queue/${file}`, `${text.trimEnd()}\n`);
  }
  for (const [folder, irqs] of Object.entries(host.controllers ?? {}))
    for (const irq of irqs) files.set(`${folder}/msi_irqs/${irq}`, "msix\n");
  const mounts = Object.entries(host.dirDevices ?? {});
  for (const [directory] of mounts) files.set(`${directory}/file`, "");
  files.set(
    "/proc/self/mountinfo",
    mounts.map(([directory, number], index) => `${20 + index} 1 8:${number} / ${directory} rw - ext4 x rw\n`).join(""),
  );
}
