import { spawn } from "node:child_process";
import { isAbsolute, resolve } from "node:path";
import { at, isObject } from "../../../language/object/json.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import type { Cluster } from "./connection.ts";
import { type Authentication, type Credentials, bearer } from "./credentials.ts";
import type { Environment } from "./proxy.ts";

export interface ExecPlugin {
  apiVersion: "client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1";
  command: string;
  args?: readonly string[] | undefined;
  env?: readonly { name: string; value: string }[];
  installHint?: string | undefined;
  provideClusterInfo?: boolean | undefined;
  interactiveMode?: "Never" | "IfAvailable" | "Always" | undefined;
  /** A command with a slash in it is relative to the kubeconfig. */
  directory?: string | undefined;
  cluster?: Cluster | undefined;
  /** The cluster's `client.authentication.k8s.io/exec` extension, passed on to the plug-in. */
  clusterConfig?: unknown;
}

export interface ExecCredentialsOptions {
  clock?: Clock | undefined;
  env?: Environment | undefined;
  /** Whether standard input is a terminal. */
  terminal?: boolean | undefined;
}

const outputLimit = 1 << 20;

/** Runs a plug-in to get a token or certificate, and again when that expires or the server refuses it. */
export class ExecCredentials implements Credentials {
  readonly #plugin: ExecPlugin;
  readonly #clock: Clock;
  readonly #env: Environment;
  readonly #terminal: boolean;
  #known: Promise<{ authentication: Authentication; expires: number }> | undefined;
  #expires = Infinity;

  constructor(plugin: ExecPlugin, options: ExecCredentialsOptions = {}) {
    this.#plugin = plugin;
    this.#clock = options.clock ?? systemClock;
    this.#env = options.env ?? process.env;
    this.#terminal = options.terminal ?? process.stdin.isTTY;
  }

  async current(abort?: { readonly signal: AbortSignal }): Promise<Authentication> {
    if (this.#known && this.#clock.now() >= this.#expires) this.#known = undefined;
    // Concurrent requests wait for one run.
    this.#known ??= this.#run();
    const running = this.#known;
    try {
      return (await unlessAborted(running, abort?.signal)).authentication;
    } catch (error) {
      if (this.#known === running && !abort?.signal.aborted) this.#known = undefined;
      throw error;
    }
  }

  reject(): boolean {
    this.#known = undefined;
    return true;
  }

  async #run(): Promise<{ authentication: Authentication; expires: number }> {
    this.#expires = Infinity;
    const interactive = wantsInput(this.#plugin, this.#terminal);
    const output = await runPlugin(this.#plugin, pluginEnvironment(this.#plugin, this.#env, interactive), interactive);
    const credential = readExecCredential(output, this.#plugin);
    this.#expires = credential.expires;
    return credential;
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}

function wantsInput({ command, interactiveMode = "IfAvailable" }: ExecPlugin, terminal: boolean): boolean {
  if (interactiveMode === "Always" && !terminal)
    throw new Error(`run credential plug-in ${command}: it needs a terminal, but standard input is not one`);
  return interactiveMode !== "Never" && terminal;
}

/** The plug-in's environment: ours, the kubeconfig's additions, and KUBERNETES_EXEC_INFO. */
export function pluginEnvironment(
  plugin: ExecPlugin,
  env: Environment,
  interactive: boolean,
): Record<string, string | undefined> {
  const { cluster, clusterConfig } = plugin;
  const info = {
    apiVersion: plugin.apiVersion,
    kind: "ExecCredential",
    spec: {
      ...(plugin.provideClusterInfo && cluster
        ? {
            cluster: {
              server: cluster.server,
              ...(cluster.tlsServerName ? { "tls-server-name": cluster.tlsServerName } : {}),
              ...(cluster.insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
              ...(cluster.certificateAuthority
                ? { "certificate-authority-data": Buffer.from(cluster.certificateAuthority).toString("base64") }
                : {}),
              ...(cluster.proxyUrl ? { "proxy-url": cluster.proxyUrl } : {}),
              ...(clusterConfig === undefined ? {} : { config: clusterConfig }),
            },
          }
        : {}),
      interactive,
    },
  };
  const own = Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value]));
  return { ...env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
}

async function runPlugin(
  plugin: ExecPlugin,
  env: Record<string, string | undefined>,
  interactive: boolean,
): Promise<string> {
  const { args = [], directory, installHint } = plugin;
  const command =
    directory !== undefined && plugin.command.includes("/") && !isAbsolute(plugin.command)
      ? resolve(directory, plugin.command)
      : plugin.command;
  return new Promise((fulfil, fail) => {
    const child = spawn(command, args, { env, stdio: [interactive ? "inherit" : "ignore", "pipe", "inherit"] });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > outputLimit) child.kill("SIGKILL");
      else chunks.push(chunk);
    });
    child.once("error", (cause) => {
      const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
      const hint = missing && installHint ? `\n${installHint.trim()}` : "";
      fail(new Error(`run credential plug-in ${command}: ${missing ? "not found" : cause.message}${hint}`, { cause }));
    });
    child.once("close", (code, signal) => {
      if (code === 0) return fulfil(Buffer.concat(chunks).toString("utf8"));
      const why = size > outputLimit ? "printed too much" : signal ? `ended by ${signal}` : `exit code ${code}`;
      fail(new Error(`run credential plug-in ${command}: ${why}`));
    });
  });
}

/** Never quotes the output in an error: it contains secrets. */
export function readExecCredential(
  output: string,
  plugin: ExecPlugin,
): { authentication: Authentication; expires: number } {
  const failed = (why: string): Error => new Error(`read output of credential plug-in ${plugin.command}: ${why}`);
  let credential: unknown;
  try {
    credential = JSON.parse(output);
  } catch {
    throw failed("not JSON");
  }
  if (at(credential, "kind") !== "ExecCredential" || at(credential, "apiVersion") !== plugin.apiVersion)
    throw failed(`not an ExecCredential of ${plugin.apiVersion}`);
  if (!isObject(at(credential, "status"))) throw failed("no status");
  const token = at(credential, "status", "token");
  const cert = at(credential, "status", "clientCertificateData");
  const key = at(credential, "status", "clientKeyData");
  const expiry = at(credential, "status", "expirationTimestamp");
  const hasPair = typeof cert === "string" && typeof key === "string";
  if ((cert === undefined) !== (key === undefined))
    throw failed("a certificate needs its key, and a key its certificate");
  if (typeof token !== "string" && !hasPair) throw failed("neither a token nor a certificate");
  const expires = typeof expiry === "string" ? Date.parse(expiry) : Infinity;
  if (Number.isNaN(expires)) throw failed("expirationTimestamp is not a time");
  return {
    authentication: {
      authorization: typeof token === "string" ? bearer(token).authorization : undefined,
      certificate: hasPair ? { cert, key } : undefined,
    },
    expires,
  };
}
