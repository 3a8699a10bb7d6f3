import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { at, get, isObject } from "../../../language/object/json.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Cluster, Connection, Impersonation } from "./connection.ts";
import { type Credentials, basic, bearer, FileCredentials, staticCredentials } from "./credentials.ts";
import { type ExecPlugin, ExecCredentials } from "./exec-credentials.ts";
import type { Kubeconfig, KubeconfigEntry } from "./kubeconfig.ts";
import { type Environment, proxyFromEnvironment } from "./proxy.ts";

export interface ContextOptions {
  context?: string | undefined;
  env: Environment;
  clock?: Clock | undefined;
}

/** The connection that a context of the kubeconfig describes. */
export async function connectionOfContext(
  config: Kubeconfig,
  { context, env, clock }: ContextOptions,
): Promise<Connection> {
  const name = context ?? config.currentContext;
  const where = config.sources.join(", ");
  if (name === undefined) throw new Error(`read kubeconfig ${where}: no current context; pass --context`);
  const chosen = config.contexts.get(name);
  if (!chosen) {
    const known = [...config.contexts.keys()].join(", ") || "none";
    throw new Error(`read kubeconfig ${where}: no context "${name}" (there are: ${known})`);
  }
  const clusterName = text(chosen, "cluster") ?? "";
  const clusterEntry = config.clusters.get(clusterName);
  if (!clusterEntry)
    throw new Error(`read kubeconfig ${where}: context "${name}" names no known cluster ("${clusterName}")`);
  const userName = text(chosen, "user");
  const userEntry = userName === undefined ? undefined : config.users.get(userName);
  if (userName !== undefined && !userEntry)
    throw new Error(`read kubeconfig ${where}: context "${name}" names no known user ("${userName}")`);

  const cluster = await readCluster(clusterEntry, `cluster "${clusterName}"`, env);
  const user = { entry: userEntry ?? { fields: {}, directory: "." }, what: `user "${userName ?? ""}"` };
  return {
    cluster,
    credentials: readUser(user, { cluster, clusterEntry, env, clock }),
    impersonate: readImpersonation(user.entry),
    namespace: text(chosen, "namespace") ?? "default",
    name,
  };
}

async function readCluster(entry: KubeconfigEntry, what: string, env: Environment): Promise<Cluster> {
  const server = text(entry, "server");
  if (server === undefined) throw new Error(`read kubeconfig: ${what} has no server`);
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw new Error(`read kubeconfig: server of ${what} is not an http or https address: ${server}`);
  const insecure = entry.fields["insecure-skip-tls-verify"] === true;
  const authority = await material(entry, "certificate-authority", what);
  if (insecure && authority !== undefined)
    throw new Error(`read kubeconfig: ${what} has both a certificate authority and insecure-skip-tls-verify`);
  return {
    server,
    certificateAuthority: authority,
    insecureSkipTlsVerify: insecure || undefined,
    tlsServerName: text(entry, "tls-server-name"),
    proxyUrl: text(entry, "proxy-url") ?? proxyFromEnvironment(url, env),
  };
}

/** An entry and its name in messages. */
interface NamedEntry {
  entry: KubeconfigEntry;
  what: string;
}

interface UserContext {
  cluster: Cluster;
  clusterEntry: KubeconfigEntry;
  env: Environment;
  clock: Clock | undefined;
}

function readUser(user: NamedEntry, { cluster, clusterEntry, env, clock }: UserContext): Credentials {
  const { entry, what } = user;
  if (entry.fields["auth-provider"] !== undefined)
    throw new Error(`read kubeconfig: ${what} uses auth-provider, which Kubernetes has removed; use an exec plug-in`);
  const tokenFile = path(entry, "tokenFile");
  const certificateFile =
    text(entry, "client-certificate-data") === undefined ? path(entry, "client-certificate") : undefined;
  const keyFile = text(entry, "client-key-data") === undefined ? path(entry, "client-key") : undefined;
  const cert = decoded(entry, "client-certificate-data");
  const key = decoded(entry, "client-key-data");
  const hasCert = cert !== undefined || certificateFile !== undefined;
  if (hasCert !== (key !== undefined || keyFile !== undefined))
    throw new Error(
      `read kubeconfig: ${what} has ${hasCert ? "a client certificate but no key" : "a client key but no certificate"}`,
    );

  const token = text(entry, "token");
  const username = text(entry, "username");
  if (
    isObject(entry.fields["exec"]) &&
    token === undefined &&
    tokenFile === undefined &&
    username === undefined &&
    !hasCert
  )
    return new ExecCredentials(readExec(user, cluster, clusterEntry), { env, clock });

  const authorization =
    token !== undefined ? bearer(token) : username !== undefined ? basic(username, text(entry, "password") ?? "") : {};
  if (tokenFile !== undefined || certificateFile !== undefined || keyFile !== undefined)
    return new FileCredentials(
      {
        tokenFile,
        certificateFile,
        keyFile,
        inline: { ...authorization, cert, key },
      },
      { clock },
    );
  return staticCredentials({
    ...authorization,
    certificate: cert !== undefined && key !== undefined ? { cert, key } : undefined,
  });
}

function readExec({ entry, what }: NamedEntry, cluster: Cluster, clusterEntry: KubeconfigEntry): ExecPlugin {
  const exec = entry.fields["exec"];
  const failed = (why: string): Error => new Error(`read kubeconfig: exec of ${what} ${why}`);
  const apiVersion = at(exec, "apiVersion");
  if (apiVersion !== "client.authentication.k8s.io/v1" && apiVersion !== "client.authentication.k8s.io/v1beta1")
    throw failed(
      `has apiVersion ${JSON.stringify(apiVersion)}; only client.authentication.k8s.io/v1 and v1beta1 are supported`,
    );
  const command = at(exec, "command");
  if (typeof command !== "string" || command === "") throw failed("has no command");
  const mode = at(exec, "interactiveMode");
  if (mode === undefined && apiVersion.endsWith("/v1")) throw failed("has no interactiveMode");
  if (mode !== undefined && mode !== "Never" && mode !== "IfAvailable" && mode !== "Always")
    throw failed(`has interactiveMode ${JSON.stringify(mode)}; only Never, IfAvailable and Always are supported`);
  const args = at(exec, "args") ?? [];
  const variables = at(exec, "env") ?? [];
  const hint = at(exec, "installHint");
  if (!Array.isArray(args) || !Array.isArray(variables)) throw failed("has args or env that are not lists");
  const extensions: unknown = clusterEntry.fields["extensions"];
  const extension = Array.isArray(extensions)
    ? extensions.find((one) => get(one, "name") === "client.authentication.k8s.io/exec")
    : undefined;
  return {
    apiVersion,
    command,
    args: args.map(String),
    env: variables.map((one) => ({ name: scalar(get(one, "name")), value: scalar(get(one, "value")) })),
    installHint: typeof hint === "string" ? hint : undefined,
    provideClusterInfo: at(exec, "provideClusterInfo") === true,
    interactiveMode: mode,
    directory: entry.directory,
    cluster,
    clusterConfig: get(extension, "extension"),
  };
}

function readImpersonation(entry: KubeconfigEntry): Impersonation | undefined {
  const user = text(entry, "as");
  if (user === undefined) return undefined;
  const groups: unknown = entry.fields["as-groups"];
  const extra = entry.fields["as-user-extra"];
  return {
    user,
    groups: Array.isArray(groups) ? groups.map(String) : undefined,
    uid: text(entry, "as-uid"),
    extra: isObject(extra)
      ? Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [values].flat().map(String)]))
      : undefined,
  };
}

/** Inline data wins over the file of the same name. */
async function material(entry: KubeconfigEntry, field: string, what: string): Promise<string | undefined> {
  const inline = decoded(entry, `${field}-data`);
  if (inline !== undefined) return inline;
  const file = path(entry, field);
  if (file === undefined) return undefined;
  return readFile(file, "utf8").catch((cause: Error) => {
    throw new Error(`read ${field} of ${what}: ${cause.message}`, { cause });
  });
}

function text({ fields }: KubeconfigEntry, field: string): string | undefined {
  const value = get(fields, field);
  if (value === undefined || value === null || value === "") return undefined;
  return scalar(value);
}

/** YAML reads a token of digits as a number. */
function scalar(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

function decoded(entry: KubeconfigEntry, field: string): string | undefined {
  const value = text(entry, field);
  return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8");
}

function path(entry: KubeconfigEntry, field: string): string | undefined {
  const value = text(entry, field);
  return value === undefined ? undefined : resolve(entry.directory, value);
}
