import type { RunningMachine } from "../running-machine.ts";

/** What a script does, without a shell: its effect on the files of the machine. Returns why it failed. */
type Effect = (environment: ReadonlyMap<string, string>, machine: RunningMachine) => Promise<string | undefined>;

/** The scripts that MachineConfigs of PerformanceProfiles bring, and programs of every node. Others have no effect here. */
const effects = new Map<string, Effect>([
  ["hugepages-allocation.sh", allocateHugePages],
  ["set-cpus-offline.sh", setCpusOffline],
]);

/** Runs one line of `ExecStart=`. Programs of Attune run through the machine, all others only have to exist. */
export async function runScript(
  command: string,
  environment: ReadonlyMap<string, string>,
  machine: RunningMachine,
): Promise<string | undefined> {
  const words = command.split(/\s+/).map((word) => expanded(word, environment));
  const path = words[0] ?? "";
  // `podman run --entrypoint attune IMAGE agent …`, `ctr run IMAGE NAME attune agent …`
  if (words.some((word) => /(^|\/)attune$/.test(word)) && words.includes("agent"))
    return machine.runAttune(words.slice(words.indexOf("agent")));
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (path.startsWith("/usr/local/") && (await machine.read(path)).type !== "text") return `${path}: no such file`;
  return effects.get(name)?.(environment, machine);
}

function expanded(word: string, environment: ReadonlyMap<string, string>): string {
  return word.replaceAll(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (_, braced?: string, bare?: string) => environment.get(braced ?? bare ?? "") ?? "",
  );
}

async function allocateHugePages(
  environment: ReadonlyMap<string, string>,
  machine: RunningMachine,
): Promise<string | undefined> {
  const get = (name: string): string => environment.get(name) ?? "";
  const count = get("HUGEPAGES_COUNT");
  const path = `/sys/devices/system/node/node${get("NUMA_NODE")}/hugepages/hugepages-${get("HUGEPAGES_SIZE")}kB/nr_hugepages`;
  const outcome = await machine.write(path, count);
  if (outcome.type === "failed") return outcome.message;
  const now = await machine.read(path);
  return now.type === "text" && now.text.trim() === count ? undefined : `${path}: fewer pages than ${count}`;
}

async function setCpusOffline(
  environment: ReadonlyMap<string, string>,
  machine: RunningMachine,
): Promise<string | undefined> {
  const paths = (environment.get("OFFLINE_CPUS") ?? "")
    .split(",")
    .filter((cpu) => cpu !== "")
    .map((cpu) => `/sys/devices/system/cpu/cpu${cpu}/online`);
  for (const path of paths) if ((await machine.read(path)).type !== "text") return `${path}: no such file`;
  for (const path of paths) await machine.write(path, "0");
  return undefined;
}
