import { isObject } from "../../../language/object/json.ts";

/** Where a machine has the token of its first boot. */
export const tokenPath = "/etc/attune/first-boot.json";

/** All that a machine needs to fetch its config, in one file. */
export interface TokenFile {
  /** URL of the operator's endpoint. */
  readonly server: string;
  /** PEM: trusted for this server, and no other is. */
  readonly certificateAuthority: string;
  readonly node: string;
  readonly pool: string;
  readonly token: string;
  /** Made by the machine, and on its disk before it is sent: the operator knows the machine by it when it asks again. */
  readonly key?: string | undefined;
}

const fields = ["server", "certificateAuthority", "node", "pool", "token"] as const;

/** A text says what is wrong with the file. */
export function readTokenFile(text: string): TokenFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "not JSON"; // The parser would quote the token.
  }
  if (!isObject(value)) return "not an object";
  const missing = fields.filter((name) => typeof value[name] !== "string" || value[name] === "");
  if (missing.length > 0) return `lacks ${missing.join(", ")}`;
  const file = Object.fromEntries([...fields, "key"].map((name) => [name, value[name]])) as unknown as TokenFile;
  return file.server.startsWith("https://") ? file : `server ${file.server}: not a https:// URL`;
}
