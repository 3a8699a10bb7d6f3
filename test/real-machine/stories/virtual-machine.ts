import { createHash } from "node:crypto";
import { expect } from "vitest";
import { machineConfigKind } from "../../../src/domain/machine-config/api.ts";
import type { MachineContents, MachineFile } from "../../../src/domain/machine-config/machine-contents.ts";
import { grubPaths } from "../../../src/embedded/lab/boot/boot-loader.ts";
import { chooseEntry, commandLine } from "../../../src/embedded/lab/boot/grub-config.ts";
import type { Machine as VirtualMachine } from "../../../src/embedded/lab/machine.ts";
import type { Host } from "../../../src/node/host/host.ts";
import { fileState, inForce } from "../harness/guest-state.ts";
import type { Machine } from "../harness/machine.ts";
import type { Stage } from "../harness/stage.ts";
import { bringTo, virtualFileState } from "../harness/virtual-machine.ts";

type Files = Readonly<Record<string, string>>;

export interface ReachedConfig {
  readonly name: string;
  readonly contents: MachineContents;
  /** The guest's files before it had the config, and a virtual machine as it was then. */
  readonly before: Files;
  readonly virtual: VirtualMachine;
}

/** Every file of the config is on the guest, byte by byte and with its mode. */
export async function hasFiles({ files }: MachineContents, guest: Machine): Promise<void> {
  const paths = files.map(({ path }) => path).join(" ");
  const found = await guest.run(`stat -c '%a %u:%g' ${paths} && sha256sum ${paths}`);
  const sumOf = ({ bytes }: MachineFile): string => createHash("sha256").update(bytes).digest("hex");
  expect(found.split("\n")).toEqual([
    ...files.map(({ mode }) => `${mode.toString(8)} 0:0`),
    ...files.map((file) => `${sumOf(file)}  ${file.path}`),
  ]);
}

/** A virtual machine of the lab that gets the same config: its files, units and boot arguments must be those of the guest. */
export async function asOnVirtualMachine(
  stage: Stage,
  { name, contents, before, virtual }: ReachedConfig,
): Promise<void> {
  const { cluster, machine: guest } = stage;
  const virtualBefore = await virtualFileState(virtual);
  await bringTo(virtual, name, (await cluster.client.get(machineConfigKind, name)).spec);

  expect(changed(virtualBefore, await virtualFileState(virtual))).toEqual(changed(before, await fileState(guest)));

  const words = contents.kernelArguments.length;
  const last = (line: string): string[] => line.trim().split(" ").slice(-words);
  const text = async (path: string): Promise<string> => textOf(virtual, path);
  expect(last(await text("/proc/cmdline"))).toEqual(last(await guest.read("/proc/cmdline")));
  const { failed: _, ...kernel } = await inForce(guest);
  expect({
    online: await text("/sys/devices/system/cpu/online"),
    isolated: await text("/sys/devices/system/cpu/isolated"),
    nohzFull: await text("/sys/devices/system/cpu/nohz_full"),
    pages: `${await text(pages(0))} ${await text(pages(1))}`,
  }).toEqual(kernel);

  const units = contents.units.map((unit) => unit.name);
  for (const verb of ["is-enabled", "is-active"])
    expect(await answers(virtual, verb, units), verb).toEqual(await answersOfGuest(guest, verb, units));

  // The lab's boot loader starts from the guest's files what the guest's own has started.
  const [config, custom, environment] = [
    await guest.read(grubPaths.config),
    await guest.read(grubPaths.custom),
    await guest.read(grubPaths.environment),
  ];
  const { entry } = chooseEntry({ config, custom, environment });
  expect(commandLine(entry)).toBe(await guest.read("/proc/cmdline"));
}

const pages = (node: number): string => `/sys/devices/system/node/node${node}/hugepages/hugepages-2048kB/nr_hugepages`;

/**
 * By path, as they are now. What GRUB generates names the disk and the kernel: it is compared by what boots. Files of tuning are
 * not of the config.
 */
function changed(before: Files, after: Files): Record<string, string> {
  const generated = new Set<string>([grubPaths.config, grubPaths.custom, grubPaths.environment]);
  const asNamed = (path: string): string => path.replace(/^\/var\/usrlocal/, "/usr/local");
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    paths
      .filter((path) => before[path] !== after[path] && !generated.has(path) && !path.endsWith("tuned.conf"))
      .map((path) => [asNamed(path), after[path] ?? "absent"]),
  );
}

async function textOf(host: Host, path: string): Promise<string> {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trim() : file.type;
}

async function answers(host: Host, verb: string, units: readonly string[]): Promise<Record<string, string>> {
  const found = units.map(async (name) => {
    const answer = await host.run(["systemctl", verb, name]);
    return [name, answer.type === "exited" ? answer.stdout.trim() : answer.message] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

async function answersOfGuest(guest: Machine, verb: string, units: readonly string[]): Promise<Record<string, string>> {
  const { stdout } = await guest.try(`for unit in ${units.join(" ")}; do systemctl ${verb} $unit; done`);
  const lines = stdout.trim().split("\n");
  return Object.fromEntries(units.map((name, index) => [name, lines[index] ?? ""]));
}
