import type { Node } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import { StatusError } from "../status-error.ts";

export interface KubeletAddress {
  readonly host: string;
  readonly port: number;
}

const preferred = ["InternalIP", "InternalDNS", "Hostname", "ExternalIP", "ExternalDNS"];
const usualPort = 10_250;

/** Where a node says that its kubelet listens. */
export function kubeletAddress(node: KubeObject): KubeletAddress {
  const { addresses = [], daemonEndpoints } = (node as Node).status ?? {};
  for (const type of preferred) {
    const found = addresses.find((address) => address.type === type);
    if (found) return { host: found.address, port: daemonEndpoints?.kubeletEndpoint?.Port || usualPort };
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
  throw new StatusError(500, "", `no preferred addresses found; known addresses: [${known}]`);
}
