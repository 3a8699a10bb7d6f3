import type { PerftuneAction } from "../../../src/domain/scylla/perftune/action.ts";
import type {
  AttributeFile,
  DiskDeviceFacts,
  DiskFacts,
  HostFacts,
  IrqbalanceFacts,
  NicFacts,
  RequestedNic,
} from "../../../src/domain/scylla/perftune/host-facts.ts";
import type { PerftuneOptions } from "../../../src/domain/scylla/perftune/option/perftune-options.ts";
import { machine } from "./recorded.ts";

/** A host of `perftune-actions.yaml`, as far as it is described there. */
export interface RecordedHost {
  readonly interrupts?: Readonly<Record<string, string>>;
  readonly nics?: Readonly<Record<string, RecordedNic>>;
  readonly rfsPresent?: boolean;
  readonly memBytes?: number;
  readonly block?: Readonly<Record<string, RecordedDisk>>;
  /** IRQs by the folder of a controller. */
  readonly controllers?: Readonly<Record<string, readonly number[]>>;
  /** Number of the device that has a directory. */
  readonly dirDevices?: Readonly<Record<string, number>>;
  readonly failWrites?: readonly string[];
  readonly processes?: readonly string[];
  readonly extraFiles?: Readonly<Record<string, string>>;
  readonly virt?: string;
}

export interface RecordedNic {
  readonly kind?: "virtual" | "virtio";
  readonly driver?: string;
  readonly msi?: readonly number[];
  readonly rx?: number;
  readonly tx?: number;
  readonly lower?: readonly string[];
  readonly bondSlaves?: readonly string[];
  readonly virtioDevices?: readonly string[];
  /** What `ethtool -L` with these words changes; with others it fails. */
  readonly setChannels?: Readonly<Record<string, { readonly rxAfter: number; readonly irqsGone?: readonly number[] }>>;
}

interface RecordedDisk {
  readonly sysPath: string;
  readonly parent?: string;
  readonly queue?: Readonly<Record<string, string>>;
  readonly devno?: number;
}

/** The host after changes of channels, by NIC: `combined 2`. */
export class HostInFixture {
  readonly #host: RecordedHost;
  readonly #machine: string;
  readonly #channels = new Map<string, string>();

  constructor(host: RecordedHost, text: string) {
    this.#host = host;
    this.#machine = text;
  }

  /** The programs that are started, until one succeeds. */
  setChannels({
    nic,
    kinds,
    count,
  }: Extract<PerftuneAction, { type: "set-channels" }>): { run: string; ok: boolean }[] {
    const runs: { run: string; ok: boolean }[] = [];
    for (const kind of kinds) {
      const words = `${kind} ${count}`;
      const ok = this.#host.nics?.[nic]?.setChannels?.[words] !== undefined;
      runs.push({ run: `ethtool -L ${nic} ${words}`, ok });
      if (!ok) continue;
      this.#channels.set(nic, words);
      break;
    }
    return runs;
  }

  facts({ nics, directories, devices }: PerftuneOptions): HostFacts {
    const host = this.#host;
    const gone = new Set(Object.keys(host.nics ?? {}).flatMap((name) => this.#change(name)?.irqsGone ?? []));
    const irqbalance = this.#irqbalance();
    return {
      topology: machine(this.#machine),
      hasSiblings: true,
      interrupts: new Map(
        Object.entries(host.interrupts ?? {}).flatMap(([irq, text]) =>
          gone.has(Number(irq)) ? [] : [[Number(irq), text]],
        ),
      ),
      nics: nics.map((name) => this.#requested(name)),
      disks: this.#disks(directories, devices),
      net: {
        memoryBytes: host.memBytes ?? 64 * 2 ** 30,
        pageBytes: 4096,
        ...(host.rfsPresent !== false && { flowEntries: 0 }),
      },
      ...(irqbalance && { irqbalance }),
      clock: {
        virtualisation: host.virt ?? "none",
        architecture: "x86_64",
        available: this.#clock("available").split(/\s+/).filter(Boolean),
        current: this.#clock("current").trim(),
      },
    };
  }

  #clock(name: string): string {
    return this.#host.extraFiles?.[`/sys/devices/system/clocksource/clocksource0/${name}_clocksource`] ?? "";
  }

  #change(nic: string): { rxAfter: number; irqsGone?: readonly number[] } | undefined {
    return this.#host.nics?.[nic]?.setChannels?.[this.#channels.get(nic) ?? ""];
  }

  #requested(name: string): RequestedNic {
    if (!this.#host.nics?.[name]) return { type: "missing", name };
    const devices = this.#devicesBelow(name);
    return devices.length > 0 ? { type: "devices", name, devices } : { type: "virtual", name };
  }

  #devicesBelow(name: string): NicFacts[] {
    const nic = this.#host.nics?.[name];
    if (!nic) return [];
    const below = [...(nic.bondSlaves ?? []), ...(nic.lower ?? [])];
    if (below.length > 0) return below.flatMap((one) => this.#devicesBelow(one));
    return nic.kind === "virtual" ? [] : [this.#device(name, nic)];
  }

  #device(name: string, { driver = "", msi, rx = 0, tx = 0, virtioDevices = [] }: RecordedNic): NicFacts {
    const change = this.#change(name);
    const queues = (count: number): number[] => Array.from({ length: count }, (_, queue) => queue);
    const irqs = msi ?? virtioDevices.flatMap((device) => this.#irqsNamed(device));
    return {
      name,
      driver,
      irqs: irqs.filter((irq) => !change?.irqsGone?.includes(irq)),
      rpsQueues: queues(change?.rxAfter ?? rx),
      flowQueues: queues(change?.rxAfter ?? rx),
      xpsQueues: queues(tx),
    };
  }

  #irqsNamed(device: string): number[] {
    return Object.entries(this.#host.interrupts ?? {}).flatMap(([irq, text]) =>
      text.includes(` ${device}-`) ? [Number(irq)] : [],
    );
  }

  #disks(directories: readonly string[], devices: readonly string[]): DiskFacts {
    const { block = {}, dirDevices = {} } = this.#host;
    const names = directories.flatMap((directory) => {
      const number = dirDevices[directory];
      return Object.keys(block).filter((name) => number !== undefined && block[name]?.devno === number);
    });
    return {
      devices: [...names, ...devices].map((name) => this.#disk(name)),
      unresolved: directories
        .filter((directory) => !(directory in dirDevices))
        .map((one) => `${one}: no such directory`),
    };
  }

  #disk(name: string): DiskDeviceFacts {
    const { block = {}, controllers = {} } = this.#host;
    const path = block[name]?.sysPath ?? "";
    const irqs = Object.entries(controllers).flatMap(([folder, all]) => (path.startsWith(`${folder}/`) ? all : []));
    const files = { scheduler: "scheduler", nomerges: "nomerges", writeCache: "write_cache" };
    const attributes = Object.entries(files).flatMap(([key, file]): [string, AttributeFile][] => {
      const found = this.#attribute(name, file);
      return found ? [[key, found]] : [];
    });
    return { name, irqs, ...Object.fromEntries(attributes) };
  }

  /** Of the device, or of the nearest above. */
  #attribute(name: string, file: string): AttributeFile | undefined {
    const disk = this.#host.block?.[name];
    const text = disk?.queue?.[file];
    if (disk && text !== undefined) return { path: `${disk.sysPath}/queue/${file}`, text };
    return disk?.parent === undefined ? undefined : this.#attribute(disk.parent, file);
  }

  #irqbalance(): IrqbalanceFacts | undefined {
    const { processes = [], extraFiles = {} } = this.#host;
    if (!processes.includes("irqbalance")) return undefined;
    const folders = ["/lib/systemd/system", "/usr/lib/systemd/system"];
    const path = ["default", "sysconfig", "conf.d"]
      .map((one) => `/etc/${one}/irqbalance`)
      .find((one) => one in extraFiles);
    return {
      hasUnit: folders.some((folder) => `${folder}/irqbalance.service` in extraFiles),
      isSystemd: true,
      hasBackup: `${path}.scylla.orig` in extraFiles,
      bannedByUs: [],
      ...(path !== undefined && { config: { path, text: extraFiles[path] ?? "" } }),
    };
  }
}
