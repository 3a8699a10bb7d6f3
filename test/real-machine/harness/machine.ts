import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Answer, type Boot, Channel } from "./channel.ts";
import { within } from "./deadline.ts";
import { portName } from "./guest-files.ts";
import { Monitor } from "./monitor.ts";

export interface Disk {
  readonly file: string;
  readonly format: "raw" | "qcow2";
}

/** A disk that leaves the one below as it is. */
export function diskOver({ file: below, format }: Disk, file: string): Disk {
  const options = ["-o", "cluster_size=4k,lazy_refcounts=on", "-b", below, "-F", format];
  execFileSync("qemu-img", ["create", "-q", "-f", "qcow2", ...options, file]);
  return { file, format: "qcow2" };
}

export interface MachineOptions {
  /** For the log of the serial console. */
  readonly folder: string;
  readonly disk: Disk;
  /** A second disk, read-only: the program under test. */
  readonly programDisk?: string;
  /** Boots this kernel instead of the boot loader on the disk. */
  readonly kernel?: { readonly image: string; readonly initrd: string; readonly arguments: string };
}

const diskName = "disk";
const bootSeconds = 900;
const commandSeconds = 300;

/**
 * Two sockets with two CPUs each, and half of the memory for each socket. The processor has no vector instructions that
 * emulation is slow at.
 */
const hardware = `-accel tcg,thread=single,tb-size=512 -machine pc -cpu Nehalem -m 1536 -nodefaults -display none -vga none
-smp 4,sockets=2,cores=2,threads=1,maxcpus=4
-object memory-backend-ram,size=768M,id=m0 -object memory-backend-ram,size=768M,id=m1
-numa node,nodeid=0,memdev=m0 -numa node,nodeid=1,memdev=m1
-numa cpu,node-id=0,socket-id=0 -numa cpu,node-id=1,socket-id=1
-netdev user,id=n0 -device virtio-net-pci,netdev=n0 -device virtio-rng-pci -device virtio-serial-pci
-chardev file,id=serial,path=SERIAL,append=on -serial chardev:serial
-chardev socket,id=channel,path=SOCKETS/channel -device virtserialport,chardev=channel,name=${portName}
-chardev socket,id=monitor,path=SOCKETS/monitor -mon chardev=monitor,mode=control`;

/** An emulated machine with its disk. It is powered on, cut off from power, and told commands. */
export class Machine {
  readonly #options: MachineOptions;
  readonly #channel: Channel;
  readonly #monitor: Monitor;
  /** Paths of Unix sockets are short. */
  readonly #sockets: string;
  #disk: Disk;
  #disks = 0;
  #emulator: ChildProcess | undefined;
  #output = "";

  private constructor(options: MachineOptions, sockets: string, channel: Channel, monitor: Monitor) {
    this.#options = options;
    this.#disk = options.disk;
    this.#sockets = sockets;
    this.#channel = channel;
    this.#monitor = monitor;
  }

  /** Powered on, and ready for commands. */
  static async start(options: MachineOptions): Promise<Machine> {
    const sockets = mkdtempSync(join(tmpdir(), "attune-qemu-"));
    const channel = await Channel.listen(join(sockets, "channel"));
    const machine = new Machine(options, sockets, channel, await Monitor.listen(join(sockets, "monitor")));
    try {
      await machine.powerOn();
    } catch (error) {
      const report = machine.report();
      await machine.stop();
      throw new Error(`start the guest: ${report}`, { cause: error });
    }
    return machine;
  }

  /** Each with an id of its own. */
  get boots(): readonly Boot[] {
    return this.#channel.boots;
  }

  async powerOn(): Promise<Boot> {
    const count = this.boots.length;
    // It ends with this process, however that ends.
    const words = ["--pdeathsig", "KILL", "qemu-system-x86_64", ...this.#words()];
    const emulator = spawn("setpriv", words, { stdio: ["ignore", "pipe", "pipe"] });
    this.#emulator = emulator;
    for (const stream of [emulator.stdout, emulator.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (this.#output += text));
    const ended = new Promise<never>((_, reject) => {
      emulator.once("error", reject);
      emulator.once("exit", (code, signal) => {
        this.#emulator = undefined;
        this.#channel.fail("the emulator ended");
        reject(new Error(`the emulator ended (${code ?? signal}): ${this.#output}`));
      });
    });
    process.once("exit", this.#killAtExit);
    return within(bootSeconds, "the guest boots", Promise.race([this.#channel.bootAfter(count), ended]));
  }

  #words(): string[] {
    const { programDisk, kernel } = this.#options;
    const drive = ({ file, format }: Disk, options: string): string[] => [
      "-drive",
      `file=${file},format=${format},if=virtio,${options}`,
    ];
    return [
      ...hardware.split(/\s+/).map((word) => word.replace("SERIAL", this.serialLog).replace("SOCKETS", this.#sockets)),
      ...drive(this.#disk, `id=${diskName},cache=writeback`),
      ...(programDisk ? drive({ file: programDisk, format: "raw" }, "readonly=on") : []),
      ...(kernel ? ["-kernel", kernel.image, "-initrd", kernel.initrd, "-append", kernel.arguments] : []),
    ];
  }

  /** The boot after those that are known by now. */
  nextBoot(): Promise<Boot> {
    return within(bootSeconds, "the guest boots", this.#channel.bootAfter(this.boots.length));
  }

  async reboot(): Promise<Boot> {
    const next = this.nextBoot();
    this.#tell("systemctl --no-block reboot");
    return next;
  }

  /**
   * From now on, what the guest writes is lost with the power unless it has flushed it. The emulator finds new blocks of an image
   * by a table that it writes with each flush only: in a new image all blocks are new.
   */
  async forgetUnflushed(): Promise<void> {
    const next = diskOver(this.#disk, join(this.#options.folder, `disk-${++this.#disks}.qcow2`));
    const snapshot = { device: diskName, "snapshot-file": next.file, format: next.format, mode: "existing" };
    await this.#monitor.ask("blockdev-snapshot-sync", snapshot);
    this.#disk = next;
  }

  /** How often the guest has written to its disk since it was powered on. */
  writes(): Promise<number> {
    return this.#monitor.writes();
  }

  /** Cuts the power as soon as the guest has written to its disk this often since it was powered on. */
  async cutPowerAtWrite(count: number): Promise<void> {
    while (this.#emulator && (await this.writes()) < count) await setTimeout(1);
    await this.cutPower();
  }

  /** What was not written to the disk is lost. */
  async cutPower(): Promise<void> {
    const emulator = this.#emulator;
    if (!emulator) return;
    const gone = new Promise((resolve) => emulator.once("exit", resolve));
    emulator.kill("SIGKILL");
    await gone;
    process.off("exit", this.#killAtExit);
  }

  /** Runs a script as root. */
  async try(script: string, seconds = commandSeconds): Promise<Answer> {
    if (!this.#emulator) throw new Error(`the guest is off: ${script}`);
    return within(seconds, `the guest runs ${script}`, this.#channel.send(script));
  }

  /** The output of a script that must succeed. */
  async run(script: string, seconds = commandSeconds): Promise<string> {
    const { code, stdout, stderr } = await this.try(script, seconds);
    if (code !== 0) throw new Error(`${script}: exit code ${code}: ${stderr}${stdout}`);
    return stdout.trimEnd();
  }

  read(path: string): Promise<string> {
    return this.run(`cat '${path}'`);
  }

  /** As an orderly shutdown does. */
  async powerOff(): Promise<void> {
    const emulator = this.#emulator;
    if (!emulator) return;
    const gone = new Promise((resolve) => emulator.once("exit", resolve));
    this.#tell("systemctl --no-block poweroff");
    await within(bootSeconds, "the guest powers off", gone);
  }

  async stop(): Promise<void> {
    await this.cutPower();
    this.#channel.close();
    this.#monitor.close();
    rmSync(this.#sockets, { recursive: true, force: true });
  }

  get serialLog(): string {
    return join(this.#options.folder, "serial.log");
  }

  report(): string {
    const serial = existsSync(this.serialLog) ? readFileSync(this.serialLog, "utf8").slice(-3000) : "";
    return `${this.#output}\n--- ${this.serialLog}\n${serial}`;
  }

  /** The answer may be lost: the shell ends with the guest. */
  #tell(script: string): void {
    this.#channel.send(script).catch(() => undefined);
  }

  readonly #killAtExit = (): void => void this.#emulator?.kill("SIGKILL");
}
