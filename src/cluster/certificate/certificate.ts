import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { isIP } from "node:net";
import {
  bitString,
  boolean,
  explicit,
  implicit,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  unsignedInteger,
  utf8String,
} from "./der.ts";

/** Kubernetes reads the user from the common name and the groups from the organizations. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
}

export interface CertificateRequest {
  readonly subject: Subject;
  readonly issuer: Subject;
  readonly publicKey: KeyObject;
  readonly issuerKey: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly purpose: "authority" | "server" | "client";
  /** Host names and addresses of a server. */
  readonly names?: readonly string[] | undefined;
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export const newKeyPair = (): KeyPair => generateKeyPairSync("ec", { namedCurve: "prime256v1" });

export const privateKeyPem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();

/** Signs an X.509 v3 certificate (ECDSA P-256 with SHA-256) and returns it as PEM. */
export function makeCertificate(request: CertificateRequest): string {
  const algorithm = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
  // Clear the top bit and set the next one: a positive serial number of constant length.
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    explicit(0, unsignedInteger(Buffer.from([2]))),
    unsignedInteger(serial),
    algorithm,
    nameOf(request.issuer),
    sequence(time(request.notBefore), time(request.notAfter)),
    nameOf(request.subject),
    request.publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensionsOf(request))),
  );
  const der = sequence(body, algorithm, bitString(sign("sha256", body, request.issuerKey.privateKey)));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function nameOf(subject: Subject): Buffer {
  const attribute = (type: string, value: string): Buffer => set(sequence(objectIdentifier(type), utf8String(value)));
  return sequence(
    ...(subject.organizations ?? []).map((organization) => attribute("2.5.4.10", organization)),
    attribute("2.5.4.3", subject.commonName),
  );
}

function extensionsOf({ purpose, names = [], publicKey, issuerKey }: CertificateRequest): Buffer[] {
  const authority = purpose === "authority";
  const extensions = [
    extension("2.5.29.19", authority ? sequence(boolean(true)) : sequence(), { critical: true }),
    // digitalSignature; an authority also keyCertSign and cRLSign.
    extension("2.5.29.15", authority ? bitString(Buffer.from([0x86]), 1) : bitString(Buffer.from([0x80]), 7), {
      critical: true,
    }),
    extension("2.5.29.14", octetString(keyIdentifier(publicKey))),
  ];
  if (!authority) {
    const usage = purpose === "server" ? "1.3.6.1.5.5.7.3.1" : "1.3.6.1.5.5.7.3.2";
    extensions.push(
      extension("2.5.29.35", sequence(implicit(0, keyIdentifier(issuerKey.publicKey)))),
      extension("2.5.29.37", sequence(objectIdentifier(usage))),
    );
  }
  if (names.length > 0) extensions.push(extension("2.5.29.17", sequence(...names.map(generalName))));
  return extensions;
}

function extension(type: string, value: Buffer, { critical = false } = {}): Buffer {
  return sequence(objectIdentifier(type), ...(critical ? [boolean(true)] : []), octetString(value));
}

function generalName(name: string): Buffer {
  return isIP(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name, "latin1"));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  // URL parses every notation of an address and normalizes it to hexadecimal groups.
  const { hostname } = new URL(`http://[${address.split("%")[0]}]`);
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const groups = (text: string | undefined): number[] =>
    text ? text.split(":").map((group) => Number.parseInt(group, 16)) : [];
  const before = groups(head);
  const after = groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((group) => [group >>> 8, group & 0xff]));
}

/** SHA-1 of the public key bits (RFC 5280, 4.2.1.2, method 1): the last 65 bytes of a P-256 key. */
function keyIdentifier(key: KeyObject): Buffer {
  const point = key.export({ type: "spki", format: "der" }).subarray(-65);
  return createHash("sha1").update(point).digest();
}
