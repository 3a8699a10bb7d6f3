import { X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** PEM in base64, as configurations carry it. */
export type CaBundle =
  | { readonly type: "roots"; readonly pem: string }
  /** Empty: the system's root certificates are used. */
  | { readonly type: "none" }
  | { readonly type: "fault"; readonly why: string };

/** As in Go, one valid certificate is enough. */
export function readCaBundle(base64: string | undefined): CaBundle {
  const pem = Buffer.from(base64 ?? "", "base64").toString("latin1");
  if (pem === "") return { type: "none" };
  const blocks = [...pem.matchAll(BLOCK)];
  const good = blocks.filter(([block, kind]) => kind === "CERTIFICATE" && isCertificate(block)).map(([block]) => block);
  if (good.length > 0) return { type: "roots", pem: good.join("\n") };
  const certificates = blocks.filter(([, kind]) => kind === "CERTIFICATE");
  const why =
    blocks.length === 0
      ? "unable to parse bytes as PEM block"
      : certificates.length > 0
        ? "failed to parse certificate: x509: malformed certificate"
        : "no valid certificate authority data seen";
  return { type: "fault", why: `unable to load root certificates: ${why}` };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
