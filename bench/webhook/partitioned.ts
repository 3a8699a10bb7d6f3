import { spawn, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { configurationName } from "../../src/program/webhook/registration.ts";
import { WrongError } from "../harness/load.ts";
import { type BenchServer, kubeconfigOf } from "../harness/servers.ts";

export const namespace = "partitioned";
const cores = "management.workload.openshift.io/cores";
const pauseMs = 50;

/** A partitioned cluster of this many nodes, with a namespace whose pods may use the reserved CPUs. */
export async function partition(server: BenchServer, dir: string, nodes: number): Promise<string> {
  const kubeconfig = join(dir, `${new URL(server.url).port}.kubeconfig`);
  await writeFile(kubeconfig, kubeconfigOf(server));
  const words = ["bin/attune", "install", "--apply", "--mode", "plain", "--partitioning", "AllNodes"];
  const installed = spawnSync(process.execPath, [...words, "--kubeconfig", kubeconfig]);
  if (installed.status !== 0) throw new WrongError(`install: ${installed.stderr.toString()}`);
  const client = clientOf(server);
  const annotations = { "workload.openshift.io/allowed": "management" };
  await client.create(kinds.namespace, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, annotations },
  });
  const amounts = { cpu: "8", memory: "32Gi", [cores]: "8k" };
  for (let n = 0; n < nodes; n++)
    await client.create(kinds.node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: `node-${n}` },
      status: { capacity: amounts, allocatable: amounts },
    });
  while ((await client.list(kinds.serviceAccount, { namespace })).items.length === 0) await delay(pauseMs);
  client.close();
  return kubeconfig;
}

export interface WebhookProgram {
  readonly pid: number;
  readonly url: string;
  readonly caPem: string;
  stop(): Promise<void>;
}

/** Resolves when API servers call the webhook. */
export async function startWebhook(server: BenchServer, kubeconfig: string): Promise<WebhookProgram> {
  const program = join(dirname(process.argv[1] ?? ""), "webhook-process.mjs");
  const child = spawn(process.execPath, [program, kubeconfig], { stdio: ["ignore", "pipe", "ignore"] });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new WrongError(`the webhook ended with ${code} before it was ready`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const found = /^ready (\S+)\n/.exec(text)?.[1];
      if (found) resolve(found);
    });
  });
  const client = clientOf(server);
  const { webhooks = [] } = await client.get(kinds.mutatingWebhookConfiguration, configurationName);
  client.close();
  const [first] = webhooks as { clientConfig: { caBundle: string } }[];
  return {
    pid: child.pid as number,
    url,
    caPem: Buffer.from(first?.clientConfig.caBundle ?? "", "base64").toString(),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      process.off("exit", kill);
    },
  };
}

function clientOf({ url, caPem, token }: BenchServer): HttpClient {
  return new HttpClient({
    cluster: { server: url, certificateAuthority: caPem },
    credentials: staticCredentials(bearer(token)),
    namespace: "default",
    name: "bench",
  });
}

/** A pod of the size that platforms have: two containers and an init container, with probes and environment. */
export function platformPod(name: string): object {
  const container = (container: string): object => ({
    name: container,
    image: "example.com/platform/component@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    args: ["start", "--config=/etc/config.yaml", "--v=2"],
    env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    ports: [{ name: "https", containerPort: 8443 }],
    readinessProbe: { httpGet: { path: "/healthz", port: "https", scheme: "HTTPS" }, periodSeconds: 10 },
    resources: { requests: { cpu: "20m", memory: "64Mi" } },
    volumeMounts: [{ name: "config", mountPath: "/etc/config.yaml", subPath: "config.yaml" }],
  });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels: { app: "bench" },
      annotations: { "target.workload.openshift.io/management": '{"effect":"PreferredDuringScheduling"}' },
    },
    spec: {
      initContainers: [{ name: "copy", image: "example.com/copy:1", resources: { requests: { cpu: "10m" } } }],
      containers: [container("one"), { ...container("two"), ports: [{ name: "https", containerPort: 9443 }] }],
      tolerations: [{ key: "node-role.kubernetes.io/master", operator: "Exists", effect: "NoSchedule" }],
      volumes: [{ name: "config", configMap: { name: "config" } }],
    },
  };
}
