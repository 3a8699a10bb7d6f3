import { createPublicKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { privateKeyPem } from "../../../src/cluster/certificate/certificate.ts";
import { openAuthority, type Authority } from "../../../src/embedded/apiserver/auth/authority.ts";
import { writeKubeconfig } from "../../../src/embedded/apiserver/auth/kubeconfig.ts";
import { nodeAddress, nodeName } from "./machine.ts";

export const serverUrl = `https://${nodeAddress}:6443`;

/** Certificates, keys and kubeconfigs of the cluster, in files of one folder. */
export class Credentials {
  readonly #dir: string;
  readonly #authority: Authority;

  private constructor(dir: string, authority: Authority) {
    this.#dir = dir;
    this.#authority = authority;
  }

  static async create(dir: string): Promise<Credentials> {
    const credentials = new Credentials(dir, await openAuthority(dir, { names: [nodeAddress] }));
    await credentials.#write();
    return credentials;
  }

  /** The path of one of its files. */
  file(name: string): string {
    return join(this.#dir, name);
  }

  async #write(): Promise<void> {
    const { caPem, serverCertPem, serverKeyPem, serviceAccountKey, adminCertPem, adminKeyPem } = this.#authority;
    const text = (name: string, content: string): void => writeFileSync(this.file(name), content, { mode: 0o600 });
    text("ca.crt", caPem);
    text("server.crt", serverCertPem);
    text("server.key", serverKeyPem);
    text("sa.key", privateKeyPem(serviceAccountKey));
    text("sa.pub", createPublicKey(serviceAccountKey).export({ type: "spki", format: "pem" }).toString());
    const toKubelets = this.#issue("kube-apiserver", "system:masters");
    text("kubelet-client.crt", toKubelets.certPem);
    text("kubelet-client.key", toKubelets.keyPem);
    const admin = { certPem: adminCertPem, keyPem: adminKeyPem };
    const identities = {
      admin,
      kubelet: this.#issue(`system:node:${nodeName}`, "system:nodes"),
      scheduler: this.#issue("system:kube-scheduler"),
      "controller-manager": this.#issue("system:kube-controller-manager"),
      proxy: this.#issue("system:kube-proxy"),
    };
    for (const [name, identity] of Object.entries(identities))
      await writeKubeconfig(this.file(`${name}.kubeconfig`), { server: serverUrl, caPem, ...identity });
  }

  #issue(commonName: string, ...organizations: string[]): { certPem: string; keyPem: string } {
    return this.#authority.issue({ commonName, organizations, purpose: "client" });
  }
}
