import type { Credentials } from "./credentials.ts";

/** Where an API server is and how to know that it is the right one. */
export interface Cluster {
  /** `https://host:port`, with a path when the server sits behind one. */
  server: string;
  /** PEM. The system's roots when absent. */
  certificateAuthority?: string;
  insecureSkipTlsVerify?: boolean;
  tlsServerName?: string;
  /** A proxy asked with CONNECT. */
  proxyUrl?: string;
}

/** Acting as someone else, where the real identity is allowed to. */
export interface Impersonation {
  user: string;
  groups?: readonly string[];
  uid?: string;
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** Everything needed to talk to one cluster as one user. */
export interface Connection {
  cluster: Cluster;
  credentials: Credentials;
  impersonate?: Impersonation;
  /** Where namespaced objects go when nothing else is said. */
  namespace: string;
  /** What to call it in messages: the context's name, or `in-cluster`. */
  name: string;
}

export class NoClusterError extends Error {
  constructor() {
    super("no cluster: run attune up, or pass --kubeconfig");
    this.name = "NoClusterError";
  }
}
