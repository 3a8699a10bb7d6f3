import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";

/** The message of Go's HTTP client for a failed call, which users of kubectl know. */
export function callFailure(error: Error): string {
  const { code = "", hostname, errors } = error as ConnectError;
  // The host has several addresses, and all failed.
  if (errors?.[0]) return callFailure(errors[0]);
  const dialling = refusals[code];
  if (dialling && (error as ConnectError).syscall === "connect")
    return `dial tcp ${addressOf(error)}: connect: ${dialling}`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "EAI_AGAIN") return `dial tcp: lookup ${hostname}: server misbehaving`;
  if (untrusted.has(code)) return `${UNVERIFIED}: x509: certificate signed by unknown authority`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return `${UNVERIFIED}: x509: certificate has expired or is not yet valid`;
  if (plainText.some((words) => error.message.includes(words)))
    return "http: server gave HTTP response to HTTPS client";
  if (code === "ECONNRESET" && (error as ConnectError).syscall === "read") return "read: connection reset by peer";
  // Node reports ECONNRESET without syscall if the peer closed without a response.
  if (code === "ECONNRESET") return "EOF";
  return error.message;
}

/** As `tls.checkServerIdentity`, with Go's messages; as in Go, the common name does not count. */
export function wrongServer(host: string, certificate: PeerCertificate): Error | undefined {
  const names = namesIn(certificate);
  if (names.length > 0 && checkServerIdentity(host, certificate) === undefined) return undefined;
  return new Error(`${UNVERIFIED}: x509: ${mismatch(host, names)}`);
}

interface ConnectError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly errors?: readonly Error[];
}

const UNVERIFIED = "tls: failed to verify certificate";

const refusals: Readonly<Record<string, string>> = {
  __proto__: null as never,
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ETIMEDOUT: "connection timed out",
  EACCES: "permission denied",
  EINVAL: "invalid argument",
};

const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
]);

/** OpenSSL's messages when it reads plain HTTP as a TLS record. */
const plainText = ["wrong version number", "packet length too long"];

function addressOf({ address = "", port = 0 }: ConnectError): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

function mismatch(host: string, names: readonly (readonly [type: string, name: string])[]): string {
  if (names.length === 0) return "certificate relies on legacy Common Name field, use SANs instead";
  const kind = isIP(host) ? "IP Address" : "DNS";
  const valid = names.filter(([type]) => type === kind).map(([, name]) => name);
  if (valid.length > 0) return `certificate is valid for ${valid.join(", ")}, not ${host}`;
  if (isIP(host)) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return `certificate is not valid for any names, but wanted to match ${host}`;
}

function namesIn({ subjectaltname = "" }: PeerCertificate): (readonly [type: string, name: string])[] {
  if (subjectaltname === "") return [];
  return subjectaltname.split(", ").map((entry) => {
    const colon = entry.indexOf(":");
    return [entry.slice(0, colon), entry.slice(colon + 1)] as const;
  });
}
