import { createPublicKey } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuthority, type Authority } from "../../src/embedded/apiserver/auth/authority.ts";
import { privateKeyPem } from "../../src/cluster/certificate/certificate.ts";
import { writeKubeconfig } from "../../src/embedded/apiserver/auth/kubeconfig.ts";
import { freePort, Program } from "./program.ts";
import { createNamespaceDefaults } from "./namespace-defaults.ts";
import type { ServerUnderTest } from "./server-under-test.ts";
import { until } from "./until.ts";

export interface RealServerOptions {
  /** Namespaces get no defaults, and pods need no service account. Default false. */
  readonly alone?: boolean;
  /** Creates the ServiceAccount that pods need in every namespace. Default true, unless `alone`. */
  readonly namespaceDefaults?: boolean;
}

/** etcd and kube-apiserver of the folder `assets`, without controllers except the one for namespace defaults. */
export async function startRealServer(
  assets: string,
  { alone = false, namespaceDefaults = !alone }: RealServerOptions = {},
): Promise<ServerUnderTest & { restart(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), "attune-real-"));
  const authority = await openAuthority(dir);
  const [client, peer, secure] = await Promise.all([freePort(), freePort(), freePort()]);
  const etcdUrl = `http://127.0.0.1:${client}`;
  const url = `https://127.0.0.1:${secure}`;
  const etcd = new Program(join(assets, "etcd"), etcdFlags(dir, etcdUrl, `http://127.0.0.1:${peer}`));
  const flags = [
    ...(await serverFlags(dir, authority, etcdUrl, secure)),
    ...(alone ? ["--disable-admission-plugins=ServiceAccount"] : []),
  ];
  const begin = (): Program => new Program(join(assets, "kube-apiserver"), flags);
  let server = begin();
  const request = { ca: authority.caPem, headers: { authorization: `Bearer ${authority.adminToken}` } };
  const ready = (): Promise<unknown> =>
    until(`${url}/readyz`, { ...request, alive: () => etcd.alive() && server.alive() });
  const creating = new AbortController();
  const close = async (): Promise<void> => {
    creating.abort();
    await server.stop();
    await etcd.stop();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await ready();
    // kube-apiserver creates it after it is ready; until then creates in it are refused.
    await until(`${url}/api/v1/namespaces/default`, { ...request, alive: () => server.alive() });
    const { caPem, adminToken: token } = authority;
    if (namespaceDefaults) await createNamespaceDefaults({ url, caPem, token, signal: creating.signal });
  } catch (error) {
    await close();
    throw new Error(`start the real server: ${String(error)}\n${server.tail()}\n${etcd.tail()}`, { cause: error });
  }
  const kubeconfig = join(dir, "kubeconfig");
  await writeKubeconfig(kubeconfig, {
    server: url,
    caPem: authority.caPem,
    certPem: authority.adminCertPem,
    keyPem: authority.adminKeyPem,
  });
  const restart = async (): Promise<void> => {
    await server.stop();
    server = begin();
    await ready();
  };
  return { url, kubeconfig, authority, restart, close };
}

function etcdFlags(dir: string, clientUrl: string, peerUrl: string): string[] {
  return [
    "--name=default",
    `--data-dir=${join(dir, "etcd")}`,
    "--unsafe-no-fsync",
    "--log-level=warn",
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ];
}

async function serverFlags(dir: string, authority: Authority, etcdUrl: string, port: number): Promise<string[]> {
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(dir, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const publicKey = createPublicKey(authority.serviceAccountKey).export({ type: "spki", format: "pem" }).toString();
  // The identity for requests to kubelets, which let it read logs.
  const asker = authority.issue({ commonName: "asks-kubelets", organizations: ["system:masters"], purpose: "client" });
  return [
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    // A loopback address is refused; this one is never used.
    "--advertise-address=192.0.2.1",
    `--etcd-servers=${etcdUrl}`,
    "--service-cluster-ip-range=10.96.0.0/16",
    "--authorization-mode=Node,RBAC",
    "--allow-privileged=true",
    "--enable-admission-plugins=NodeRestriction",
    `--tls-cert-file=${await file("server.crt", authority.serverCertPem)}`,
    `--tls-private-key-file=${await file("server.key", authority.serverKeyPem)}`,
    `--kubelet-client-certificate=${await file("kubelets.crt", asker.certPem)}`,
    `--kubelet-client-key=${await file("kubelets.key", asker.keyPem)}`,
    `--client-ca-file=${await file("ca.crt", authority.caPem)}`,
    `--token-auth-file=${await file("tokens.csv", `${authority.adminToken},admin,admin,"system:masters"\n`)}`,
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${await file("sa.pub", publicKey)}`,
    `--service-account-signing-key-file=${await file("sa.key", privateKeyPem(authority.serviceAccountKey))}`,
  ];
}
