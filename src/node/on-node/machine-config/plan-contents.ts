import type { MachineContents, Ownership } from "../../../domain/machine-config/machine-contents.ts";
import type { Ledger } from "../../engine/ledger.ts";
import { type Placed, placedFile } from "../../engine/placed.ts";
import type { UnitStep } from "../../engine/unit-step.ts";
import type { Host } from "../../host/host.ts";
import { Accounts } from "./accounts.ts";
import { followKernels, planBoot } from "./boot/plan-boot.ts";
import { followEdits } from "./kubelet/follow-edits.ts";
import { contentsOnHost } from "./kubelet/contents-on-host.ts";
import { machineConfigOwner, placeAll, type Wanted } from "./place-step.ts";
import { daemonReload, planUnits } from "./plan-units.ts";
import { planSystem } from "./plan-system.ts";
import { planPasswords, planUsers } from "./plan-users.ts";

export interface PlanContents {
  readonly contents: MachineContents;
  /** Name of the rendered config. */
  readonly config: string;
  readonly host: Host;
  /** Whether files of units have changed, so that systemd must read them again. */
  readonly reloadUnits?: boolean | undefined;
}

/**
 * Steps that bring the contents to the node, given what it has now. Directories first, since files may be in them; units are
 * enabled when their files are there.
 */
export async function planContents(wanted: PlanContents, ledger: Ledger): Promise<UnitStep[]> {
  const { config, host, reloadUnits = false } = wanted;
  await followEdits(ledger, host);
  await followKernels(ledger, host);
  const { contents, findings } = await contentsOnHost(wanted.contents, host, ledger);
  const accounts = await Accounts.read(host);
  const at = { config, host, ledger };
  const users = await planUsers(contents.users, accounts, at);
  const places = [...storageOf(contents, accounts), ...users.places];
  const units = await planUnits(contents.units, at);
  const reload = reloadUnits ? [daemonReload(config)] : [];
  const about = { unit: machineConfigOwner, option: "host", from: config };
  return [
    ...(await placeAll(places, at)),
    ...(await placeAll(units.places, at)),
    ...reload,
    ...units.steps,
    ...users.steps,
    ...(await planPasswords(contents.users, at)),
    ...findings.map((message): UnitStep => ({ ...about, type: "skipped", message })),
    ...(await planSystem(contents, at)),
    // Last: until then, a power cut boots the arguments of the config that is still current.
    ...(await planBoot({ wanted: contents.kernelArguments, config, host, ledger })),
  ];
}

function storageOf({ directories, links, files }: MachineContents, accounts: Accounts): Wanted[] {
  const owned = <T extends Ownership>(
    of: T,
    make: (owner: { uid: number; gid: number }) => Placed,
  ): Wanted["placed"] => {
    const owner = accounts.ownerOf(of);
    return "unknown" in owner ? { impossible: owner.unknown } : make(owner);
  };
  return [
    ...directories
      // A folder comes before those in it.
      .toSorted((a, b) => a.path.length - b.path.length)
      .map((one): Wanted => ({
        path: one.path,
        option: "storage.directories",
        placed: owned(one, (owner) => ({ kind: "directory", mode: one.mode, ...owner })),
      })),
    ...files.map((one): Wanted => ({
      path: one.path,
      option: "storage.files",
      placed: owned(one, (owner) => placedFile(one.bytes, { mode: one.mode, ...owner })),
    })),
    // Hard links after the files that they may name.
    ...links.map((one): Wanted => ({
      path: one.path,
      option: "storage.links",
      placed: owned(one, (owner) =>
        one.isHard ? { kind: "hard link", target: one.target } : { kind: "link", target: one.target, ...owner },
      ),
    })),
  ];
}
