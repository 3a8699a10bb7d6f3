import type { MachineUser } from "../../../domain/machine-config/machine-contents.ts";
import { placedFile } from "../../engine/placed.ts";
import type { Action } from "../../engine/action.ts";
import type { UnitStep } from "../../engine/unit-step.ts";
import type { Host } from "../../host/host.ts";
import type { Accounts } from "./accounts.ts";
import { type At, machineConfigOwner, type Wanted } from "./place-step.ts";

/** Keys by which users may log in, in the file that sshd reads on image-based systems. */
export function planUsers(users: readonly MachineUser[], accounts: Accounts): Wanted[] {
  return users.filter(({ keys }) => keys.length > 0).flatMap((user) => keysOf(user, accounts));
}

function keysOf({ name, keys }: MachineUser, accounts: Accounts): Wanted[] {
  const option = `passwd.users ${name}`;
  const user = accounts.user(name);
  if (!user) return [{ path: name, option, placed: { impossible: `the node has no user ${JSON.stringify(name)}` } }];
  const { home, uid, gid } = user;
  const directories = [`${home}/.ssh`, `${home}/.ssh/authorized_keys.d`];
  const text = keys.map((key) => `${key}\n`).join("");
  return [
    ...directories.map((path): Wanted => ({ path, option, placed: { kind: "directory", mode: 0o700, uid, gid } })),
    {
      path: `${home}/.ssh/authorized_keys.d/ignition`,
      option,
      placed: placedFile(new TextEncoder().encode(text), { mode: 0o600, uid, gid }),
    },
  ];
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
