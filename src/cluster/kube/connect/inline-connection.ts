import type { Connection } from "./connection.ts";
import { connectionOfContext } from "./kubeconfig-context.ts";
import { type KubeconfigEntry, parseKubeconfig } from "./kubeconfig.ts";

/** What a kubeconfig may say about clusters and users that needs nothing but the text itself. */
const inline = new Set([
  "server",
  "certificate-authority-data",
  "insecure-skip-tls-verify",
  "tls-server-name",
  "client-certificate-data",
  "client-key-data",
  "token",
  "username",
  "password",
  "extensions",
]);

/**
 * The connection that a kubeconfig of another author describes. One that names files, a proxy, a command or a user to
 * impersonate is refused: they would be those of this process.
 */
export async function inlineConnection(text: string, source: string): Promise<Connection> {
  const config = await parseKubeconfig(text, source);
  for (const [what, entries] of [
    ["cluster", config.clusters],
    ["user", config.users],
  ] as const)
    for (const [name, entry] of entries) refuseOthers(entry, `${what} "${name}"`, source);
  return connectionOfContext(config, { env: {} });
}

function refuseOthers({ fields }: KubeconfigEntry, what: string, source: string): void {
  const [first] = Object.keys(fields).filter((field) => !inline.has(field));
  if (first !== undefined)
    throw new Error(`read kubeconfig ${source}: ${what} has ${first}, and only what the text itself holds is allowed`);
}
