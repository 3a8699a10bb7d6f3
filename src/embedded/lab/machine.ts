import { randomUUID } from "node:crypto";
import type { CommandResult, Host, Outcome, RunOptions } from "../../node/host/host.ts";
import { type MemoryCommand, MemoryHost } from "../../node/host/memory-host.ts";
import { bootChoice, grubPaths } from "./boot/boot-loader.ts";
import { commandLine } from "./boot/grub-config.ts";
import { filesOfBoot } from "./boot/kernel-arguments.ts";
import { kernelEffects } from "./kernel-effects.ts";
import { bootIdPath, type MachineBase } from "./machine-base.ts";
import { machinePrograms } from "./machine-programs.ts";
import type { RunningMachine } from "./running-machine.ts";
import { startAtBoot } from "./systemd/run-units.ts";

/** The kernel's files, and those in memory. */
const volatileFolders = ["/proc", "/sys", "/run", "/dev", "/tmp"];

export type Shutdown = "shutdown" | "power cut";

/** What surrounds a machine: its kubelet, and programs that units start. */
export interface Surroundings {
  rebootRequested(): void;
  /** Resolves with why the unit failed. */
  unitStarted(name: string): Promise<string | undefined>;
  unitStopped(name: string): void;
  /** Runs a program of Attune. Returns why it failed. */
  runAttune(args: readonly string[]): Promise<string | undefined>;
}

/** A process on a machine that is off. */
export class MachineOffError extends Error {}

/** A virtual machine that boots: its disk outlives a boot, memory and the kernel's state do not. */
export class Machine extends MemoryHost implements RunningMachine {
  readonly #base: MachineBase;
  #around: Surroundings | undefined;
  #boots = 1;
  #isOn = true;

  constructor(base: MachineBase, bootId: string, programs: Iterable<readonly [string, MemoryCommand]> = []) {
    super(base, programs);
    this.#base = base;
    this.put(bootIdPath, `${bootId}\n`);
  }

  /** Since it was made; the first boot counts. */
  get boots(): number {
    return this.#boots;
  }

  get bootId(): string {
    return this.#peek(bootIdPath)?.trim() ?? "";
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  surround(around: Surroundings): void {
    this.#around = around;
  }

  /** The files and programs of the machine for a process that ends with this boot: afterwards every call throws. */
  session(): Host {
    const boot = this.#boots;
    const check = (): void => {
      if (!this.#isOn || this.#boots !== boot) throw new MachineOffError("the machine is off");
    };
    return new Proxy<Host>(this, {
      get: (machine, name) => {
        const value: unknown = Reflect.get(machine, name, machine);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]): Promise<unknown> => {
          check();
          const result: unknown = await Reflect.apply(value, machine, args);
          check();
          return result;
        };
      },
    });
  }

  /** Everything on it ends. */
  stop(how: Shutdown): void {
    this.#isOn = false;
    this.restart(volatileFolders, how);
  }

  /** Starts what the boot loader chooses, and the units that are enabled. */
  async boot(bootId: string = randomUUID()): Promise<void> {
    if (this.#isOn) this.stop("shutdown");
    this.#boots++;
    this.#isOn = true;
    this.put(bootIdPath, `${bootId}\n`);
    const { entry, environment } = await bootChoice(this);
    this.put(grubPaths.environment, environment === "" ? undefined : environment);
    for (const [path, text] of filesOfBoot(this.#base.topology, commandLine(entry))) this.put(path, text);
    await startAtBoot(this);
  }

  requestReboot(): void {
    if (this.#around) this.#around.rebootRequested();
    else void this.boot();
  }

  async unitStarted(name: string): Promise<string | undefined> {
    return this.#around?.unitStarted(name);
  }

  unitStopped(name: string): void {
    this.#around?.unitStopped(name);
  }

  async runAttune(args: readonly string[]): Promise<string | undefined> {
    return this.#around?.runAttune(args);
  }

  override async write(path: string, text: string): Promise<Outcome> {
    const outcome = await super.write(path, text);
    if (outcome.type === "failed") return outcome;
    const real = await this.real(path);
    for (const [file, shown] of kernelEffects(this.#base.topology, real, { text, read: (at) => this.#peek(at) }))
      this.put(file, shown);
    return outcome;
  }

  #peek(path: string): string | undefined {
    const changes = this.changes();
    return changes.has(path) ? changes.get(path) : this.#base.read(path);
  }

  override async run(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const [program = "", ...args] = argv;
    const own = machinePrograms.get(program.slice(program.lastIndexOf("/") + 1));
    return own ? own(args, this) : super.run(argv, options);
  }
}

/** One machine after its first boot. `programs` are added to those of every machine. */
export function machine(
  base: MachineBase,
  bootId: string = randomUUID(),
  programs?: Iterable<readonly [string, MemoryCommand]>,
): Machine {
  return new Machine(base, bootId, programs);
}
