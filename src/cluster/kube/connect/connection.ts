import type { Credentials } from "./credentials.ts";

/** The address of an API server, and how to verify its certificate. */
export interface Cluster {
  /** `https://host:port`, with a path when the server sits behind one. */
  server: string;
  /** PEM. Default: Node's root certificates. */
  certificateAuthority?: string | undefined;
  insecureSkipTlsVerify?: boolean | undefined;
  tlsServerName?: string | undefined;
  /** A proxy that supports CONNECT. */
  proxyUrl?: string | undefined;
}

/** The user to impersonate, where RBAC allows it. */
export interface Impersonation {
  user: string;
  groups?: readonly string[] | undefined;
  uid?: string | undefined;
  extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** How to reach one cluster as one user. */
export interface Connection {
  cluster: Cluster;
  credentials: Credentials;
  impersonate?: Impersonation | undefined;
  /** Default namespace. */
  namespace: string;
  /** Its name in messages: the context, or `in-cluster`. */
  name: string;
}

export class NoClusterError extends Error {
  constructor() {
    super("no cluster: run attune up, or pass --kubeconfig");
    this.name = "NoClusterError";
  }
}
