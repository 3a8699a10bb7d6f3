import type { Authority } from "../../src/embedded/apiserver/auth/authority.ts";
import { partitioned } from "./partitioned-server.ts";
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
 * The embedded server, and the real one when `KUBEBUILDER_ASSETS` names a folder that has it. With
 * `ATTUNE_PARTITIONING=AllNodes` their clusters have CPU partitioning: suites must not notice.
 */
export function serverVariants(): ServerVariant[] {
  const { KUBEBUILDER_ASSETS: assets, ATTUNE_PARTITIONING: partitioning } = process.env;
  const variants = assets ? [embedded, { name: "real", start: () => startRealServer(assets) } as const] : [embedded];
  return partitioning === "AllNodes" ? variants.map(partitioned) : variants;
}
