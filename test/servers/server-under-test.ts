import type { Authority } from "../../src/embedded/apiserver/auth/authority.ts";
import { identified, partitioned } from "./partitioned-server.ts";
import { startEmbeddedServer } from "./embedded-server.ts";
import { startRealServer } from "./real-server.ts";

/** What a suite needs of a server, embedded or real. */
export interface ServerUnderTest {
  readonly url: string;
  /** The admin's, with a client certificate. */
  readonly kubeconfig: string;
  /** Signs certificates that this server trusts. */
  readonly authority: Authority;
  close(): Promise<void>;
}

export interface ServerVariant {
  readonly name: "embedded" | "real";
  readonly start: () => Promise<ServerUnderTest>;
}

const embedded: ServerVariant = { name: "embedded", start: startEmbeddedServer };

/**
 * The embedded server, and the real one when `KUBEBUILDER_ASSETS` names a folder that has it: for suites that install Attune,
 * run its webhook, or compare all objects of a cluster.
 */
export function emptyServers(): ServerVariant[] {
  const { KUBEBUILDER_ASSETS: assets } = process.env;
  return assets ? [embedded, { name: "real", start: () => startRealServer(assets) }] : [embedded];
}

/** The same; with `ATTUNE_PARTITIONING=AllNodes` their clusters have CPU partitioning, and suites must not notice. */
export function serverVariants(): ServerVariant[] {
  return arePartitioned() ? emptyServers().map(partitioned) : emptyServers();
}

/** As `serverVariants`, for suites that install all of Attune, its webhook as well. */
export function serversToInstallOn(): ServerVariant[] {
  return arePartitioned() ? emptyServers().map(identified) : emptyServers();
}

const arePartitioned = (): boolean => process.env.ATTUNE_PARTITIONING === "AllNodes";
