import { type CommandResult, isKernelPath, type Outcome, type RunOptions } from "../../host/host.ts";
import { MemoryBase } from "../../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../../host/memory-host.ts";
import type { RecordedAnswer, RecordedCase, RecordedDevice } from "./recorded-case.ts";

/** The directory of the recorded profile. */
export const profileFolder = "/etc/tuned/profiles/a";

/** The simulated node of a recorded case: kernel files are plain files, and programs are recorded answers. */
export class BenchHost extends MemoryHost {
  /** Every program that was run, as one line. */
  readonly commands: string[] = [];
  readonly #answers: Map<string, RecordedAnswer>;
  readonly #programs: ReadonlyMap<string, MemoryCommand>;

  constructor(base: MemoryBase, answers: Record<string, RecordedAnswer>, programs: Record<string, MemoryCommand>) {
    super(base);
    this.#answers = new Map(Object.entries(answers));
    this.#programs = new Map(Object.entries(programs));
  }

  answer(answers: Record<string, RecordedAnswer>): void {
    for (const [command, answer] of Object.entries(answers)) this.#answers.set(command, answer);
  }

  override async write(path: string, text: string): Promise<Outcome> {
    if (!isKernelPath(path)) return super.write(path, text);
    if ((await this.read(path)).type === "missing")
      return { type: "failed", code: "ENOENT", message: `ENOENT: no such file or directory, ${path}` };
    this.put(path, text);
    return { type: "done" };
  }

  override async run(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const line = argv.join(" ");
    this.commands.push(line);
    const [name = "", ...args] = argv;
    const program = this.#programs.get(name);
    if (program) return program(args, this, options);
    const answer = this.#answerTo(line) ?? this.#answerTo(line.replace(/^\S*\//, ""));
    if (!answer) return { type: "failed", message: `${name}: no such program` };
    return { type: "exited", code: answer.rc, stdout: answer.out ?? "", stderr: answer.err ?? "" };
  }

  #answerTo(line: string): RecordedAnswer | undefined {
    const exact = this.#answers.get(line);
    if (exact) return exact;
    for (const [pattern, answer] of this.#answers)
      if (pattern.endsWith("*") && line.startsWith(pattern.slice(0, -1))) return answer;
    return undefined;
  }
}

export function benchHost({ input }: RecordedCase, programs: Record<string, MemoryCommand> = {}): BenchHost {
  const files: [string, string][] = [
    ["/proc/sys/kernel/random/boot_id", "boot-1\n"],
    ["/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu\n"],
  ];
  const links: [string, string][] = [];
  for (const [subsystem, devices] of Object.entries(input.devices ?? {}))
    for (const [name, device] of Object.entries(devices)) {
      const made = deviceTree(subsystem, name, device);
      files.push(...made.files);
      links.push(...made.links);
    }
  for (const [path, text] of Object.entries(input.fs ?? {}))
    if (text.startsWith("->")) links.push([path, text.slice(2)]);
    else files.push([path, text]);
  for (const [name, text] of Object.entries(input.profile_files ?? {})) files.push([`${profileFolder}/${name}`, text]);
  return new BenchHost(new MemoryBase(files, [], links), input.exec ?? {}, programs);
}

interface Tree {
  files: [string, string][];
  links: [string, string][];
}

/** A device as the kernel shows it. */
function deviceTree(subsystem: string, name: string, device: RecordedDevice): Tree {
  if (subsystem === "net") {
    const path = `/sys${device.path ?? `/devices/pci0/net/${name}`}`;
    return {
      files: [[`${path}/ifindex`, `${device.properties?.IFINDEX ?? "1"}\n`]],
      links: [[`/sys/class/net/${name}`, path]],
    };
  }
  if (subsystem === "block") {
    if (device.devtype === "partition") return { files: [], links: [] };
    const folder = `/sys/block/${name}`;
    return {
      files: [
        [`${folder}/removable`, `${device.removable ?? "0"}\n`],
        ...(device.parent_subsystem ? ([[`${folder}/device/uevent`, ""]] as [string, string][]) : []),
      ],
      links: device.parent_subsystem ? [[`${folder}/device/subsystem`, `/sys/bus/${device.parent_subsystem}`]] : [],
    };
  }
  if (subsystem === "cpu") return { files: [[`/sys/devices/system/cpu/${name}/uevent`, ""]], links: [] };
  return { files: [[`/sys/class/${subsystem}/${name}/uevent`, ""]], links: [] };
}
