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

/** A kubeconfig with a cluster, user and context for each input; the first is the current one. */
export function adminKubeconfig(...inputs: readonly [KubeconfigInput, ...KubeconfigInput[]]): string {
  const [first] = inputs;
  return [
    "apiVersion: v1",
    "kind: Config",
    `current-context: ${nameOf(first)}`,
    "clusters:",
    ...inputs.flatMap(clusterOf),
    "contexts:",
    ...inputs.flatMap(contextOf),
    "users:",
    ...inputs.flatMap(userOf),
    "",
  ].join("\n");
}

/** Every value is a JSON string, which is also valid YAML. */
const nameOf = ({ name = "attune" }: KubeconfigInput): string => JSON.stringify(name);
const data = (pem: string): string => JSON.stringify(Buffer.from(pem).toString("base64"));

function clusterOf(input: KubeconfigInput): string[] {
  return [
    `- name: ${nameOf(input)}`,
    "  cluster:",
    `    server: ${JSON.stringify(input.server)}`,
    `    certificate-authority-data: ${data(input.caPem)}`,
  ];
}

function contextOf(input: KubeconfigInput): string[] {
  return [
    `- name: ${nameOf(input)}`,
    "  context:",
    `    cluster: ${nameOf(input)}`,
    `    user: ${nameOf(input)}`,
    ...(input.namespace === undefined ? [] : [`    namespace: ${JSON.stringify(input.namespace)}`]),
  ];
}

function userOf(input: KubeconfigInput): string[] {
  const credentials = [
    ...(input.certPem === undefined ? [] : [`    client-certificate-data: ${data(input.certPem)}`]),
    ...(input.keyPem === undefined ? [] : [`    client-key-data: ${data(input.keyPem)}`]),
    ...(input.token === undefined ? [] : [`    token: ${JSON.stringify(input.token)}`]),
  ];
  return [`- name: ${nameOf(input)}`, ...(credentials.length > 0 ? ["  user:", ...credentials] : ["  user: {}"])];
}

/** Readable by its owner only. A client that reads at the same moment sees the old file or the new one. */
export async function writeKubeconfig(
  path: string,
  ...inputs: readonly [KubeconfigInput, ...KubeconfigInput[]]
): Promise<void> {
  await writeSecretFile(path, adminKubeconfig(...inputs));
}
