import { createHash, sign, verify, type KeyObject } from "node:crypto";
import { isObject, type JsonObject } from "../../../../language/object/json.ts";

/** The key id in tokens: a digest of the public key. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
}

/** A compact JWS, ES256. */
export function signToken(claims: JsonObject, privateKey: KeyObject, keyId: string): string {
  const signed = `${encode({ alg: "ES256", kid: keyId })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

/** The unverified claims of a token. `undefined` if it is not a compact JWS. */
export function peekClaims(token: string): JsonObject | undefined {
  const parts = token.split(".");
  return parts.length === 3 ? decode(parts[1] ?? "") : undefined;
}

/** Whether the key signed the token, with ES256. A token that names another algorithm is refused. */
export function isSignedBy(token: string, publicKey: KeyObject, keyId: string): boolean {
  const parts = token.split(".");
  if (parts.length !== 3) return false;
  const [header = "", payload = "", tail = ""] = parts;
  const claimed = decode(header);
  if (claimed?.["alg"] !== "ES256" || claimed["kid"] !== keyId || Object.hasOwn(claimed, "crit")) return false;
  const signature = Buffer.from(tail, "base64url");
  // Buffer ignores invalid base64 characters: only the canonical encoding is accepted.
  if (signature.length !== 64 || signature.toString("base64url") !== tail) return false;
  return verify(
    "sha256",
    Buffer.from(`${header}.${payload}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    signature,
  );
}

const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function decode(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
