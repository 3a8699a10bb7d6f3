import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { makeCertificate, newKeyPair, privateKeyPem, type Subject } from "./certificate.ts";

/** The data of a Secret, decoded. During a rotation `ca.crt` has two certificates: the new authority, then the old one. */
export interface Certificates {
  readonly "ca.crt": string;
  readonly "ca.key": string;
  readonly "tls.crt": string;
  readonly "tls.key": string;
}

const keys = ["ca.crt", "ca.key", "tls.crt", "tls.key"] as const;

export function encodeCertificates(certificates: Certificates): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, Buffer.from(certificates[key]).toString("base64")]));
}

/** Undefined where the Secret has no data. */
export function decodeCertificates(
  data: Readonly<Record<string, string>> | undefined,
): Partial<Certificates> | undefined {
  return data && Object.fromEntries(keys.map((key) => [key, Buffer.from(data[key] ?? "", "base64").toString("utf8")]));
}

export function sameCertificates(a: Partial<Certificates> | undefined, b: Certificates): boolean {
  return a !== undefined && keys.every((key) => a[key] === b[key]);
}

export interface CertificateLives {
  readonly authorityMs: number;
  readonly servingMs: number;
  /** How long after a write all clients know the authority, and all replicas the Secret. */
  readonly settleMs: number;
}

const day = 24 * 60 * 60 * 1000;
export const defaultLives: CertificateLives = {
  authorityMs: 3650 * day,
  servingMs: 90 * day,
  settleMs: 10 * 60 * 1000,
};

/** Clocks of clients may be behind. */
const skewMs = 5 * 60 * 1000;

export interface CertificateInput {
  /** The data of the Secret, which may be missing or damaged. */
  readonly current: Partial<Certificates> | undefined;
  /** Name of the authority. */
  readonly authority: string;
  /** Host names and addresses that the certificate must be valid for. */
  readonly names: readonly string[];
  /** Since when clients can read `current["ca.crt"]`; they trust it later. */
  readonly publishedAt: number | undefined;
  readonly now: number;
  readonly lives: CertificateLives;
}

/**
 * What the Secret should hold now. A new authority is published first and signs only when clients trust it, so that no
 * request fails during a rotation: until then the serving certificate is the one that the old authority signed. The old
 * authority is dropped when no replica serves what it signed.
 */
export function nextCertificates(input: CertificateInput): Certificates {
  const { now, lives } = input;
  const current = usable(input.current);
  if (!current) {
    const fresh = newAuthority(input);
    return { ...fresh, ...serving(fresh, input) };
  }
  const [first, ...earlier] = certificatesIn(current["ca.crt"]);
  if (!first || !isFresh(first, now, lives.authorityMs)) {
    const fresh = newAuthority(input);
    return { ...current, ...fresh, "ca.crt": fresh["ca.crt"] + (first?.toString() ?? "") };
  }
  const served = new X509Certificate(current["tls.crt"]);
  const bySigner = served.verify(first.publicKey);
  const isServed = isFresh(served, now, lives.servingMs) && isValidFor(served, input.names);
  if (bySigner && isServed)
    return earlier.length === 0 || now < settledAt(served, lives)
      ? current
      : { ...current, "ca.crt": first.toString() };
  // The key of the old authority is gone, so its certificate cannot be renewed: it is served until it expires or the new
  // authority is trusted.
  const isStillValid = Date.parse(served.validTo) > now && isValidFor(served, input.names);
  if (!bySigner && !isTrusted(input) && isStillValid) return current;
  return { ...current, ...serving(current, input) };
}

function isTrusted({ publishedAt, now, lives }: CertificateInput): boolean {
  return publishedAt !== undefined && now >= publishedAt + lives.settleMs;
}

/** When every replica serves this certificate. */
function settledAt(served: X509Certificate, lives: CertificateLives): number {
  return Date.parse(served.validFrom) + skewMs + lives.settleMs;
}

/** The first time at which a certificate has to be renewed, or the next step of a rotation is due. */
export function renewalTime(
  certificates: Certificates,
  { lives, publishedAt }: Pick<CertificateInput, "lives" | "publishedAt">,
): number {
  const [first, ...earlier] = certificatesIn(certificates["ca.crt"]);
  if (!first) return 0;
  const served = new X509Certificate(certificates["tls.crt"]);
  const dueAt = (certificate: X509Certificate, lifeMs: number): number => Date.parse(certificate.validTo) - lifeMs / 3;
  const ofAuthority = dueAt(first, lives.authorityMs);
  if (!served.verify(first.publicKey))
    return Math.min(ofAuthority, Date.parse(served.validTo), (publishedAt ?? Infinity) + lives.settleMs);
  const isRotating = earlier.length > 0;
  return Math.min(ofAuthority, dueAt(served, lives.servingMs), isRotating ? settledAt(served, lives) : Infinity);
}

export function servingEnd(certificates: Certificates): number {
  return Date.parse(new X509Certificate(certificates["tls.crt"]).validTo);
}

/** Whether more than a third of its life is left. */
function isFresh(certificate: X509Certificate, now: number, lifeMs: number): boolean {
  return Date.parse(certificate.validTo) - now > lifeMs / 3 && Date.parse(certificate.validFrom) <= now;
}

function isValidFor(certificate: X509Certificate, names: readonly string[]): boolean {
  return names.every((name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined);
}

function newAuthority({ authority, now, lives }: CertificateInput): Pick<Certificates, "ca.crt" | "ca.key"> {
  const pair = newKeyPair();
  const subject: Subject = { commonName: authority };
  const certificate = makeCertificate({
    subject,
    issuer: subject,
    publicKey: pair.publicKey,
    issuerKey: pair,
    purpose: "authority",
    notBefore: now - skewMs,
    notAfter: now + lives.authorityMs,
  });
  return { "ca.crt": certificate, "ca.key": privateKeyPem(pair.privateKey) };
}

function serving(
  { "ca.crt": bundle, "ca.key": key }: Pick<Certificates, "ca.crt" | "ca.key">,
  { authority, names, now, lives }: CertificateInput,
): Pick<Certificates, "tls.crt" | "tls.key"> {
  const pair = newKeyPair();
  const privateKey = createPrivateKey(key);
  const [signer] = certificatesIn(bundle);
  const certificate = makeCertificate({
    subject: { commonName: names[0] ?? authority },
    issuer: { commonName: authority },
    publicKey: pair.publicKey,
    issuerKey: { privateKey, publicKey: createPublicKey(privateKey) },
    purpose: "server",
    names,
    notBefore: now - skewMs,
    notAfter: Math.min(now + lives.servingMs, Date.parse(signer?.validTo ?? "")),
  });
  return { "tls.crt": certificate, "tls.key": privateKeyPem(pair.privateKey) };
}

const end = "-----END CERTIFICATE-----";

function certificatesIn(bundle: string): X509Certificate[] {
  return bundle
    .split(end)
    .slice(0, -1)
    .map((text) => new X509Certificate(`${text}${end}\n`));
}

/** Undefined unless all keys and certificates are there, can be read and belong together. */
function usable(current: Partial<Certificates> | undefined): Certificates | undefined {
  try {
    const { "ca.crt": bundle = "", "ca.key": key = "", "tls.crt": cert = "", "tls.key": certKey = "" } = current ?? {};
    const [signer] = certificatesIn(bundle);
    const belongs =
      signer?.checkPrivateKey(createPrivateKey(key)) === true &&
      certificatesIn(bundle).some(({ publicKey }) => new X509Certificate(cert).verify(publicKey)) &&
      new X509Certificate(cert).checkPrivateKey(createPrivateKey(certKey));
    return belongs ? { "ca.crt": bundle, "ca.key": key, "tls.crt": cert, "tls.key": certKey } : undefined;
  } catch {
    return undefined;
  }
}
