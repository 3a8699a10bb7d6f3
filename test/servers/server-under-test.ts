import type { Authority } from "../../src/embedded/apiserver/auth/authority.ts";
import { startEmbeddedServer } from "./embedded-server.ts";
import { startRealServer } from "./real-server.ts";

/** What a suite needs of a server, whoever wrote it. */
export interface ServerUnderTest {
  readonly url: string;
  /** Of an admin who presents a certificate. */
  readonly kubeconfig: string;
  /** Signs certificates this server believes. */
  readonly authority: Authority;
  close(): Promise<void>;
}

export interface ServerVariant {
  readonly name: "embedded" | "real";
  start(): Promise<ServerUnderTest>;
}

const embedded: ServerVariant = { name: "embedded", start: startEmbeddedServer };

/** The embedded server, and the real one when `KUBEBUILDER_ASSETS` names a folder that has it. */
export function serverVariants(): ServerVariant[] {
  const assets = process.env.KUBEBUILDER_ASSETS;
  return assets ? [embedded, { name: "real", start: () => startRealServer(assets) }] : [embedded];
}
