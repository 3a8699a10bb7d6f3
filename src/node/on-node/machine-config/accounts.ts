import type { Account, Ownership } from "../../../domain/machine-config/machine-contents.ts";
import type { Host, Owner } from "../../host/host.ts";

/** A user of the node. */
export interface User extends Owner {
  readonly home: string;
}

/** The node's own users and groups: the names in a config mean those, not the agent's. */
export class Accounts {
  readonly #users: ReadonlyMap<string, User>;
  readonly #groups: ReadonlyMap<string, number>;

  private constructor(users: ReadonlyMap<string, User>, groups: ReadonlyMap<string, number>) {
    this.#users = users;
    this.#groups = groups;
  }

  static async read(host: Pick<Host, "read">): Promise<Accounts> {
    const users = new Map<string, User>();
    const groups = new Map<string, number>();
    for (const [name = "", , uid, gid, , home = "/"] of await rows(host, ["/usr/lib/passwd", "/etc/passwd"]))
      users.set(name, { uid: Number(uid), gid: Number(gid), home });
    for (const [name = "", , gid] of await rows(host, ["/usr/lib/group", "/etc/group"])) groups.set(name, Number(gid));
    return new Accounts(users, groups);
  }

  user(name: string): User | undefined {
    return this.#users.get(name);
  }

  /** Ids of an owner; the message says which name the node does not have. Without names it is root. */
  ownerOf({ user, group }: Ownership): Owner | { readonly unknown: string } {
    const uid = idOf(user, (name) => (name === "root" ? 0 : this.#users.get(name)?.uid));
    if (uid === undefined) return { unknown: `the node has no user ${JSON.stringify(nameOf(user))}` };
    const gid = idOf(group, (name) => (name === "root" ? 0 : this.#groups.get(name)));
    if (gid === undefined) return { unknown: `the node has no group ${JSON.stringify(nameOf(group))}` };
    return { uid, gid };
  }
}

function idOf(account: Account | undefined, find: (name: string) => number | undefined): number | undefined {
  if (!account) return 0;
  return account.type === "id" ? account.id : find(account.name);
}

function nameOf(account: Account | undefined): string {
  return account?.type === "name" ? account.name : "";
}

/** Image-based systems keep some accounts below /usr; those in /etc win. */
async function rows(host: Pick<Host, "read">, paths: readonly string[]): Promise<string[][]> {
  const files = await Promise.all(paths.map((path) => host.read(path)));
  const lines = files.flatMap((file) => (file.type === "text" ? file.text.split("\n") : []));
  return lines.filter((line) => line.includes(":") && !line.startsWith("#")).map((line) => line.split(":"));
}
