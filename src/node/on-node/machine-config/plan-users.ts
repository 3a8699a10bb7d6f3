import type { MachineUser } from "../../../domain/machine-config/machine-contents.ts";
import { placedFile } from "../../engine/placed.ts";
import type { Accounts } from "./accounts.ts";
import type { Wanted } from "./place-step.ts";

/** Keys by which users may log in, in the file that sshd reads on image-based systems. */
export function planUsers(users: readonly MachineUser[], accounts: Accounts): Wanted[] {
  return users.filter(({ keys }) => keys.length > 0).flatMap((user) => keysOf(user, accounts));
}

function keysOf({ name, keys }: MachineUser, accounts: Accounts): Wanted[] {
  const option = "passwd.users";
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
