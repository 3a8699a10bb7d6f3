import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeKubeconfig } from "../../src/embedded/apiserver/auth/kubeconfig.ts";
import { privateKeyPem } from "../../src/cluster/certificate/certificate.ts";
import { Program } from "./program.ts";
import type { ServerUnderTest } from "./server-under-test.ts";

/** kube-controller-manager of `KUBEBUILDER_ASSETS`, where there is one. */
export const controllerManagerPath = ((): string | undefined => {
  const path = join(process.env.KUBEBUILDER_ASSETS ?? "", "kube-controller-manager");
  return process.env.KUBEBUILDER_ASSETS && existsSync(path) ? path : undefined;
})();

/** Controllers of kinds that the embedded server does not serve, and why it does not. */
export const switchedOff: Readonly<Record<string, string>> = {
  "certificatesigningrequest-approving-controller":
    "no client requests certificates: the authority in the server's directory issues them",
  "certificatesigningrequest-cleaner-controller": "as above",
  "certificatesigningrequest-signing-controller": "as above",
  "resourceclaim-controller": "the embedded server has no dynamic resource allocation",
  "resourcequota-controller": "the embedded server does not enforce quotas",
  "service-cidr-controller": "the service network is fixed, without ServiceCIDR objects",
};

export interface ControllerManagerOptions {
  readonly path: string;
  readonly server: Pick<ServerUnderTest, "authority">;
  /** The server's address, or that of a proxy in front of it. */
  readonly url: string;
  /** Whether each controller uses its own service account. */
  readonly accounts: boolean;
  /** Default: all default ones except those switched off. */
  readonly controllers?: readonly string[] | undefined;
}

export interface ControllerManager {
  /** The warnings and errors of its log. */
  complaints(): string[];
  tail(): string;
  stop(): Promise<void>;
}

/** With JSON as content type. */
export async function startControllerManager(options: ControllerManagerOptions): Promise<ControllerManager> {
  const { authority } = options.server;
  const { controllers = ["*", ...Object.keys(switchedOff).map((name) => `-${name}`)] } = options;
  const dir = await mkdtemp(join(tmpdir(), "attune-controllers-"));
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(dir, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const kubeconfig = join(dir, "kubeconfig");
  await writeKubeconfig(kubeconfig, { server: options.url, caPem: authority.caPem, token: authority.adminToken });
  let output = "";
  const program = new Program(
    options.path,
    [
      `--kubeconfig=${kubeconfig}`,
      "--secure-port=0",
      "--kube-api-content-type=application/json",
      `--use-service-account-credentials=${options.accounts}`,
      `--service-account-private-key-file=${await file("sa.key", privateKeyPem(authority.serviceAccountKey))}`,
      `--root-ca-file=${await file("ca.crt", authority.caPem)}`,
      `--controllers=${controllers.join(",")}`,
    ],
    (text) => (output += text),
  );
  return {
    complaints: () => output.split("\n").filter((line) => /^[EFW]\d{4} /.test(line)),
    tail: () => program.tail(),
    async stop() {
      await program.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
