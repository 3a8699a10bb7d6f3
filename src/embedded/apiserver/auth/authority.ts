import { createPrivateKey, createPublicKey, randomBytes, X509Certificate, type KeyObject } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { systemClock, type Clock } from "../../../cluster/runtime/clock.ts";
import { makeFolderAsync } from "../../../cluster/runtime/make-folder.ts";
import {
  makeCertificate,
  newKeyPair,
  privateKeyPem,
  type KeyPair,
  type Subject,
} from "../../../cluster/certificate/certificate.ts";
import { readIfThere, writeSecretFile } from "./secret-file.ts";

const DAY = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const IDENTITY_DAYS = 1825;
/** A certificate that expires sooner is renewed at the next start. */
const RENEW_DAYS = 365;
/** Certificates are valid from a little before now, because clocks of other machines may be behind. */
const SKEW = 5 * 60 * 1000;

const authoritySubject: Subject = { commonName: "attune-ca" };

export const serverNames: readonly string[] = [
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
  "127.0.0.1",
  "::1",
  "10.96.0.1",
];

/** A certificate and its private key, PEM. */
export interface Identity {
  readonly certPem: string;
  readonly keyPem: string;
}

export type IdentityRequest = Subject &
  ({ readonly purpose: "client" } | { readonly purpose: "server"; readonly names: readonly string[] });

/** The certificate authority, certificates and keys in a server's directory. */
export interface Authority {
  readonly caPem: string;
  readonly serverCertPem: string;
  readonly serverKeyPem: string;
  readonly adminCertPem: string;
  readonly adminKeyPem: string;
  /** A bearer token with the rights of the admin certificate, for clients that cannot present one. */
  readonly adminToken: string;
  /** Signs service account tokens (ES256). */
  readonly serviceAccountKey: KeyObject;
  /** A new certificate, such as `system:node:NAME` in `system:nodes`. Nothing is written to disk. */
  readonly issue: (request: IdentityRequest) => Identity;
}

export interface AuthorityOptions {
  /** Further host names and addresses the server is reached by. */
  readonly names?: readonly string[];
  readonly clock?: Clock;
  /** Clients may hold what the authority issued: a key that is missing is not replaced without a word. Default false. */
  readonly isInUse?: boolean;
}

/**
 * Reads `DIR/pki` and creates what is missing. A certificate and its key are one file that is renamed into place, so
 * that no crash leaves a certificate beside another one's key.
 */
export async function openAuthority(dir: string, options: AuthorityOptions = {}): Promise<Authority> {
  const { clock = systemClock, names: extraNames = [], isInUse = false } = options;
  const pki = join(dir, "pki");
  if (isInUse) checkNothingLost(pki);
  await makeFolderAsync(pki, 0o700);
  await chmod(pki, 0o700);
  const names = [...new Set([...serverNames, ...extraNames])];

  const [ca, serviceAccountKey, adminToken] = await Promise.all([
    openCa(join(pki, "ca.pem"), clock),
    openServiceAccountKey(join(pki, "service-account.pem")),
    openAdminToken(join(pki, "admin.token")),
  ]);
  const issue = (request: IdentityRequest): Identity => issueFrom(ca, request, clock.now());
  const [server, admin] = await Promise.all([
    openIdentity({
      path: join(pki, "server.pem"),
      make: () => issue({ commonName: "attune", purpose: "server", names }),
      isGood: (identity) => isGood(identity, ca, clock.now(), names),
    }),
    openIdentity({
      path: join(pki, "admin.pem"),
      make: () => issue({ commonName: "admin", organizations: ["system:masters"], purpose: "client" }),
      isGood: (identity) => isGood(identity, ca, clock.now(), []),
    }),
  ]);
  return {
    caPem: ca.certPem,
    serverCertPem: server.certPem,
    serverKeyPem: server.keyPem,
    adminCertPem: admin.certPem,
    adminKeyPem: admin.keyPem,
    adminToken,
    serviceAccountKey,
    issue,
  };
}

/** Removing the whole folder is how a user asks for new keys. */
function checkNothingLost(pki: string): void {
  const lost = ["ca.pem", "service-account.pem"].find((name) => !existsSync(join(pki, name)));
  if (lost === undefined || !existsSync(pki)) return;
  const what = "kubeconfigs, certificates and tokens that were issued before stop working then";
  throw new Error(
    `read ${join(pki, lost)}: it is missing: restore it from a copy, or remove ${pki} for new keys; ${what}`,
  );
}

interface Ca extends KeyPair {
  readonly certPem: string;
  readonly certificate: X509Certificate;
}

async function openCa(path: string, clock: Clock): Promise<Ca> {
  const text = await readIfThere(path);
  if (text !== undefined) {
    const identity = parseIdentity(text);
    if (!identity) throw unusable(path, "every client of this directory trusts it");
    const privateKey = createPrivateKey(identity.keyPem);
    const { certPem } = identity;
    return { certPem, privateKey, publicKey: createPublicKey(privateKey), certificate: new X509Certificate(certPem) };
  }
  const keys = newKeyPair();
  const now = clock.now();
  const certPem = makeCertificate({
    subject: authoritySubject,
    issuer: authoritySubject,
    publicKey: keys.publicKey,
    issuerKey: keys,
    purpose: "authority",
    notBefore: now - SKEW,
    notAfter: now + AUTHORITY_DAYS * DAY,
  });
  await writeSecretFile(path, privateKeyPem(keys.privateKey) + certPem);
  return { certPem, ...keys, certificate: new X509Certificate(certPem) };
}

function issueFrom(ca: Ca, request: IdentityRequest, now: number): Identity {
  const keys = newKeyPair();
  const certPem = makeCertificate({
    subject: request,
    issuer: authoritySubject,
    publicKey: keys.publicKey,
    issuerKey: ca,
    purpose: request.purpose,
    names: request.purpose === "server" ? request.names : [],
    notBefore: now - SKEW,
    notAfter: Math.min(now + IDENTITY_DAYS * DAY, Date.parse(ca.certificate.validTo)),
  });
  return { certPem, keyPem: privateKeyPem(keys.privateKey) };
}

interface IdentityFile {
  readonly path: string;
  readonly make: () => Identity;
  readonly isGood: (kept: Identity) => boolean;
}

async function openIdentity({ path, make, isGood }: IdentityFile): Promise<Identity> {
  const kept = parseIdentity((await readIfThere(path)) ?? "");
  if (kept && isGood(kept)) return kept;
  const identity = make();
  await writeSecretFile(path, identity.keyPem + identity.certPem);
  return identity;
}

function isGood(identity: Identity, ca: Ca, now: number, names: readonly string[]): boolean {
  const certificate = new X509Certificate(identity.certPem);
  const lasts = Date.parse(certificate.validTo);
  // A certificate cannot outlive its authority: renewing would not help.
  const enough = Math.min(now + RENEW_DAYS * DAY, Date.parse(ca.certificate.validTo));
  return (
    certificate.verify(ca.publicKey) &&
    lasts >= enough &&
    names.every((name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined)
  );
}

async function openServiceAccountKey(path: string): Promise<KeyObject> {
  const text = await readIfThere(path);
  if (text === undefined) {
    const { privateKey } = newKeyPair();
    await writeSecretFile(path, privateKeyPem(privateKey));
    return privateKey;
  }
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw unusable(path, "it signed every service account token", cause);
  }
}

async function openAdminToken(path: string): Promise<string> {
  const kept = (await readIfThere(path))?.trim();
  if (kept) return kept;
  const token = randomBytes(24).toString("base64url");
  await writeSecretFile(path, `${token}\n`);
  return token;
}

const BEGIN_CERTIFICATE = "-----BEGIN CERTIFICATE-----";

/** `undefined` unless the text is a private key followed by the certificate of that key. */
function parseIdentity(text: string): Identity | undefined {
  const start = text.indexOf(BEGIN_CERTIFICATE);
  if (start < 0) return undefined;
  const identity = { keyPem: text.slice(0, start), certPem: text.slice(start) };
  try {
    const certificate = new X509Certificate(identity.certPem);
    return certificate.checkPrivateKey(createPrivateKey(identity.keyPem)) ? identity : undefined;
  } catch {
    return undefined;
  }
}

function unusable(path: string, why: string, cause?: unknown): Error {
  return new Error(`read ${path}: not a usable key; it is not replaced, because ${why}`, { cause });
}
