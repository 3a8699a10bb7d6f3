import { writeSecretFile } from "./secret-file.ts";

export interface KubeconfigInput {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  readonly caPem: string;
  /** A client that presents both is authenticated by the certificate, so `kubectl --token` has no effect. */
  readonly certPem?: string;
  readonly keyPem?: string;
  readonly token?: string;
  /** The name of cluster, user and context. Default `attune`. */
  readonly name?: string;
  readonly namespace?: string;
}

/** A kubeconfig with one cluster, user and context. Every value is a JSON string, which is also valid YAML. */
export function adminKubeconfig(input: KubeconfigInput): string {
  const name = JSON.stringify(input.name ?? "attune");
  const data = (pem: string): string => JSON.stringify(Buffer.from(pem).toString("base64"));
  const credentials = [
    ...(input.certPem === undefined ? [] : [`    client-certificate-data: ${data(input.certPem)}`]),
    ...(input.keyPem === undefined ? [] : [`    client-key-data: ${data(input.keyPem)}`]),
    ...(input.token === undefined ? [] : [`    token: ${JSON.stringify(input.token)}`]),
  ];
  return [
    "apiVersion: v1",
    "kind: Config",
    `current-context: ${name}`,
    "clusters:",
    `- name: ${name}`,
    "  cluster:",
    `    server: ${JSON.stringify(input.server)}`,
    `    certificate-authority-data: ${data(input.caPem)}`,
    "contexts:",
    `- name: ${name}`,
    "  context:",
    `    cluster: ${name}`,
    `    user: ${name}`,
    ...(input.namespace === undefined ? [] : [`    namespace: ${JSON.stringify(input.namespace)}`]),
    "users:",
    `- name: ${name}`,
    ...(credentials.length > 0 ? ["  user:", ...credentials] : ["  user: {}"]),
    "",
  ].join("\n");
}

/** Readable by its owner only. A client that reads at the same moment sees the old file or the new one. */
export async function writeKubeconfig(path: string, input: KubeconfigInput): Promise<void> {
  await writeSecretFile(path, adminKubeconfig(input));
}
