import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Clock } from "../../runtime/clock.ts";
import { type Connection, NoClusterError } from "./connection.ts";
import { FileCredentials } from "./credentials.ts";
import { connectionOfContext } from "./kubeconfig-context.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import type { Environment } from "./proxy.ts";

export interface LoadConnectionOptions {
  /** `--kubeconfig`. */
  kubeconfig?: string | undefined;
  /** `--context`. */
  context?: string | undefined;
  env?: Environment | undefined;
  clock?: Clock | undefined;
  /** Where the kubelet mounts the token of a pod's service account. */
  serviceAccountDirectory?: string | undefined;
}

/** In kubectl's order: --kubeconfig, the files in $KUBECONFIG, ~/.kube/config, and last the cluster this pod runs in. */
export async function loadConnection(options: LoadConnectionOptions = {}): Promise<Connection> {
  const { kubeconfig, context, env = process.env, clock } = options;
  if (kubeconfig !== undefined) return connectionOfContext(await readKubeconfig([kubeconfig]), { context, env, clock });

  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  const paths = listed.length > 0 ? listed : [join(env["HOME"] ?? homedir(), ".kube", "config")];
  const config = await readKubeconfig(paths, { skipMissing: true });
  if (config.contexts.size > 0) return connectionOfContext(config, { context, env, clock });
  // kubectl skips missing files, and would go on without a cluster.
  if (listed.length > 0 && config.sources.length === 0)
    throw new Error(`read kubeconfig: no file of $KUBECONFIG exists: ${listed.join(", ")}`);

  const inCluster = await inClusterConnection(options);
  if (inCluster) return inCluster;
  throw new NoClusterError();
}

/** The connection of a pod to its own cluster; undefined outside of a pod. */
export async function inClusterConnection(options: LoadConnectionOptions = {}): Promise<Connection | undefined> {
  const {
    env = process.env,
    clock,
    serviceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount",
  } = options;
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  const tokenFile = join(serviceAccountDirectory, "token");
  if (!host || !port || !existsSync(tokenFile)) return undefined;
  const [certificateAuthority, namespace] = await Promise.all(
    ["ca.crt", "namespace"].map((name) => readIfPresent(join(serviceAccountDirectory, name))),
  );
  return {
    cluster: {
      server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
      certificateAuthority,
    },
    credentials: new FileCredentials({ tokenFile }, { clock }),
    namespace: namespace?.trim() || "default",
    name: "in-cluster",
  };
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new Error(`read ${path}: ${error.message}`, { cause: error });
  });
}
