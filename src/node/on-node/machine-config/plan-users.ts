import type { MachineUser } from "../../../domain/machine-config/machine-contents.ts";
import { placedFile } from "../../engine/placed.ts";
import type { Action, FileAction } from "../../engine/action.ts";
import { textAfter } from "../../engine/text-after.ts";
import type { UnitStep } from "../../engine/unit-step.ts";
import type { Host } from "../../host/host.ts";
import type { Accounts } from "./accounts.ts";
import { type At, machineConfigOwner, type Wanted } from "./place-step.ts";

/** Keys by which users may log in. On image-based systems sshd reads every file of a folder, elsewhere one file. */
export async function planUsers(
  users: readonly MachineUser[],
  accounts: Accounts,
  at: At,
): Promise<{ readonly places: readonly Wanted[]; readonly steps: readonly UnitStep[] }> {
  const withKeys = users.filter(({ keys }) => keys.length > 0);
  const readsFolder = withKeys.length > 0 && (await hasKeyFolder(at.host));
  const plans = await Promise.all(withKeys.map((user) => keysOf(user, accounts, { ...at, readsFolder })));
  return { places: plans.flatMap(({ places }) => places), steps: plans.flatMap(({ steps }) => steps) };
}

/** Fedora CoreOS has a helper that reads the folder, RHEL CoreOS names its files: both in the configuration of sshd. */
async function hasKeyFolder(host: Pick<Host, "list" | "read">): Promise<boolean> {
  const folder = "/etc/ssh/sshd_config.d";
  const paths = ["/etc/ssh/sshd_config", ...(await host.list(folder)).map((name) => `${folder}/${name}`)];
  const files = await Promise.all(paths.map((path) => host.read(path)));
  return files.some((file) => file.type === "text" && /^[^#\n]*(?:authorized_keys\.d|ssh-key-dir)/m.test(file.text));
}

async function keysOf(
  { name, keys }: MachineUser,
  accounts: Accounts,
  { config, host, readsFolder }: At & { readsFolder: boolean },
): Promise<{ places: Wanted[]; steps: UnitStep[] }> {
  const option = `passwd.users ${name}`;
  const failed = (path: string, impossible: string): { places: Wanted[]; steps: UnitStep[] } => ({
    places: [{ path, option, placed: { impossible } }],
    steps: [],
  });
  const user = accounts.user(name);
  if (!user) return failed(name, `the node has no user ${JSON.stringify(name)}`);
  const { home, uid, gid } = user;
  const ssh = `${home}/.ssh`;
  const keyFolder = `${ssh}/authorized_keys.d`;
  // The user may write there: a link would have root write to a place of the user's choice.
  for (const path of [ssh, ...(readsFolder ? [keyFolder] : [`${ssh}/authorized_keys`])])
    if ((await host.stat(path)).type === "link") return failed(path, "is a link, and keys are not written through one");
  const text = keys.map((key) => `${key}\n`).join("");
  const directory = (path: string): Wanted => ({ path, option, placed: { kind: "directory", mode: 0o700, uid, gid } });
  if (!readsFolder)
    return {
      places: [directory(ssh)],
      steps: [await keysInFile(`${ssh}/authorized_keys`, text, { option, config, host })],
    };
  const placed = placedFile(new TextEncoder().encode(text), { mode: 0o600, uid, gid });
  return {
    places: [directory(ssh), directory(keyFolder), { path: `${keyFolder}/ignition`, option, placed }],
    steps: [],
  };
}

/** Keys of the config between marks: those that others add to the file stay. The file keeps its owner; a new one is root's, which sshd accepts. */
async function keysInFile(path: string, keys: string, { option, config, host }: KeysInFile): Promise<UnitStep> {
  const found = await host.read(path);
  const before = found.type === "text" ? found.text : undefined;
  const set = (text: string | null): FileAction => ({
    type: "edit",
    path,
    edit: { kind: "block", mark: "Attune", text },
  });
  return {
    unit: machineConfigOwner,
    option: `${option} ${path}`,
    from: config,
    type: textAfter(set(keys), before) === before ? "same" : "change",
    target: path,
    before: "other keys",
    value: "keys of the config",
    actions: [set(keys)],
    undo: [set(null)],
    lasts: "persistent",
  };
}

interface KeysInFile extends Omit<At, "ledger"> {
  readonly option: string;
}

/** Passwords, as hashes. A user that a config does not name any more gets the one back that it had. */
export async function planPasswords(users: readonly MachineUser[], { config, host }: At): Promise<UnitStep[]> {
  const hashes = await hashesOf(host);
  return users.flatMap(({ name, passwordHash }): UnitStep[] => {
    if (passwordHash === undefined) return [];
    const about = { unit: machineConfigOwner, option: `passwd.users ${name} passwordHash`, from: config };
    const present = hashes.get(name);
    if (present === undefined) return [{ ...about, type: "impossible", message: `the node has no user ${name}` }];
    return [
      {
        ...about,
        type: present === passwordHash ? "same" : "change",
        target: `password of ${name}`,
        // Reports show them, so they are not the hashes.
        before: present === passwordHash ? "as configured" : "another",
        value: "as configured",
        actions: [setPassword(name, passwordHash)],
        undo: [setPassword(name, present)],
        lasts: "persistent",
      },
    ];
  });
}

function setPassword(name: string, hash: string): Action {
  return { type: "run", argv: ["usermod", "-p", hash, name] };
}

async function hashesOf(host: Pick<Host, "read">): Promise<Map<string, string>> {
  const file = await host.read("/etc/shadow");
  const lines = file.type === "text" ? file.text.split("\n").filter((line) => line.includes(":")) : [];
  return new Map(lines.map((line) => line.split(":")).map(([name = "", hash = ""]) => [name, hash]));
}
