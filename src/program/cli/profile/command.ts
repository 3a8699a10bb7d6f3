import type { Command } from "commander";
import type { CheckOptions } from "./check.ts";
import type { InfoOptions } from "./info.ts";
import type * as Commands from "./run.ts";

type Given = Readonly<Record<string, string | boolean | undefined>>;

/** Flags that say what a profile is to be like. */
const wishes = [
  ["reserved-cpu-count <n>", "how many CPUs the system gets; must be given"],
  ["rt-kernel [bool]", "whether nodes run the real-time kernel; must be given"],
  ["offlined-cpu-count <n>", "how many CPUs are switched off (default: 0)"],
  ["split-reserved-cpus-across-numa [bool]", "take reserved CPUs from all NUMA nodes alike"],
  ["disable-ht [bool]", "start nodes with one thread a core"],
  ["user-level-networking [bool]", "give network cards a queue for each reserved CPU"],
  ["power-consumption-mode <mode>", "default, low-latency or ultra-low-latency (default: default)"],
  ["per-pod-power-management [bool]", "let pods choose how their CPUs save power"],
  ["topology-manager-policy <policy>", "single-numa-node, best-effort or restricted (default: restricted)"],
  ["profile-name <name>", "of the profile (default: performance)"],
  ["enable-hardware-tuning [bool]", "add a remark on how frequencies are limited"],
] as const;

/** `attune profile …`: options only. What a command does is loaded when it is called. */
export function profileCommand(program: Command): void {
  const profile = program.command("profile").description("performance profiles for nodes that are there");

  const create = looking(profile.command("create"))
    .description("print a performance profile for the nodes of a pool")
    .option("--mcp-name <name>", "the MachineConfigPool; where there are none, the role of the nodes")
    .option("--node-pool-name <name>", "the NodePool of a hosted cluster");
  for (const [flag, description] of wishes) create.option(`--${flag}`, description);
  create.action((given: Given) =>
    run((commands, around) => {
      const flags = Object.fromEntries(wishes.map(([flag]) => [nameOf(flag), given[camelCase(nameOf(flag))]]));
      return commands.create({ ...given, flags }, around);
    }),
  );

  looking(profile.command("info"))
    .description("print which pools there are, and what CPUs their nodes have")
    .option("--json", "as JSON")
    .option("--text", "as text, which is the default")
    .action((options: InfoOptions) => run((commands, around) => commands.info(options, around)));

  profile
    .command("check")
    .description("judge performance profiles in files as a cluster would, without one; exit code 1 if any has an error")
    .requiredOption("-f, --filename <file>", "a file, a folder, or - for standard input; may be repeated", collect)
    .option("-R, --recursive", "folders below folders too")
    .option("--must-gather-dir-path <path>", "support data of the nodes they are for: a folder, or an archive of one")
    .option("-o, --output <format>", "table, json or yaml", "table")
    .action((options: CheckOptions) =>
      run((commands, around) => commands.check(options, { ...around, stdin: commands.readStandardInput })),
    );
}

function looking(command: Command): Command {
  return command
    .option("--must-gather-dir-path <path>", "a folder of support data, or an archive of one")
    .option("--kubeconfig <file>", "the cluster to ask instead")
    .option("--context <name>", "context of the kubeconfig, or of the one that kubectl would use")
    .option("-n, --namespace <name>", "where Profiles are in the cluster (default: as shipped)")
    .option(
      "--snapshot <node=file>",
      "what attune agent --sysinfo wrote on a node; or NODE.tgz, or a folder of those; may be repeated",
      collect,
    );
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

async function run(
  command: (commands: typeof Commands, around: Parameters<typeof Commands.info>[1]) => Promise<number>,
): Promise<void> {
  const commands = await import("./run.ts");
  // Nothing is changed, so nothing need be ended well: Ctrl-C ends it even where it waits for standard input.
  const { signal } = new AbortController();
  process.exitCode = await command(commands, { terminal: commands.processTerminal(), signal });
}

function nameOf(flag: string): string {
  return flag.split(" ", 1)[0] ?? "";
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
