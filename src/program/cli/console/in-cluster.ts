import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Connection } from "../../../cluster/kube/connect/connection.ts";
import { staticCredentials } from "../../../cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { makeCertificate, newKeyPair, privateKeyPem } from "../../../cluster/certificate/certificate.ts";
import { type Clock, pause, systemClock } from "../../../cluster/runtime/clock.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { type RunningConsole, startConsole, type TlsFiles } from "../../console/console-server.ts";
import { authorityFolder, consoleName } from "../../console/names.ts";
import type { Environment } from "../option/flag.ts";
import { version } from "../../version.ts";
import { builtPage } from "./running-console.ts";

export interface InClusterOptions {
  readonly connection: Connection;
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: readonly string[];
  /** A folder with `tls.crt` and `tls.key`, which may be missing and change. */
  readonly certificates: string;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly clock?: Clock;
}

/** A kubelet writes a changed Secret within a minute or so. */
const reloadMs = 60_000;

/** The console for users of a cluster, over TLS: they sign in with tokens of their own, and it has no credentials at all. */
export async function serveInCluster(options: InClusterOptions): Promise<RunningConsole> {
  const { connection, certificates, allowedHosts, host, port, signal, log, clock = systemClock } = options;
  const client = new HttpClient({ ...connection, credentials: staticCredentials({}) });
  const own = selfSigned(["localhost", "127.0.0.1", ...allowedHosts.map((name) => name.replace(/:\d+$/, ""))], clock);
  let tls = (await certificateIn(certificates)) ?? own;
  if (tls === own) log.warn({ certificates }, "there is no certificate: browsers will warn of a self-signed one");
  const running = await startConsole({
    clusters: [{ name: connection.name, client }],
    assets: builtPage,
    version,
    host,
    port,
    signIn: "token",
    allowedHosts,
    tls,
    signal,
    log,
  });
  const reload = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(clock, reloadMs, signal);
      const found = await certificateIn(certificates);
      if (found === undefined || (found.cert === tls.cert && found.key === tls.key)) continue;
      tls = found;
      running.renew(found);
      log.info({ certificates }, "serving the console with a new certificate");
    }
  };
  return { ...running, stopped: Promise.all([running.stopped, reload()]).then(() => client.close()) };
}

/** To the API servers of the pod's own cluster, without credentials: the pod has no token. */
export async function clusterOfPod(env: Environment): Promise<Connection> {
  const [host, port] = [env["KUBERNETES_SERVICE_HOST"], env["KUBERNETES_SERVICE_PORT"]];
  if (!host || !port) throw new Error("--in-cluster: this is no pod of a cluster: KUBERNETES_SERVICE_HOST is not set");
  const certificateAuthority = await readFile(join(authorityFolder, "ca.crt"), "utf8");
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    cluster: { server, certificateAuthority },
    credentials: staticCredentials({}),
    namespace: "default",
    name: "this cluster",
  };
}

async function certificateIn(folder: string): Promise<TlsFiles | undefined> {
  try {
    const [cert, key] = await Promise.all(["tls.crt", "tls.key"].map((name) => readFile(join(folder, name), "utf8")));
    return cert && key ? { cert, key } : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const yearMs = 365 * 24 * 3600_000;

/** Browsers warn of it. */
export function selfSigned(names: readonly string[], clock: Clock): TlsFiles {
  const keys = newKeyPair();
  const subject = { commonName: consoleName };
  const now = clock.now();
  const cert = makeCertificate({
    subject,
    issuer: subject,
    publicKey: keys.publicKey,
    issuerKey: keys,
    purpose: "server",
    names,
    notBefore: now - 3600_000,
    notAfter: now + yearMs,
  });
  return { cert, key: privateKeyPem(keys.privateKey) };
}
