import { at } from "../../../language/object/json.ts";
import { audience, firstBootNamespace, nodeAccount } from "../../../domain/rollout/first-boot/invitation.ts";

/** What a token says of itself. True only once the API server has verified it. */
export interface TokenClaims {
  /** Of the invitation that it is bound to. */
  readonly name: string;
  readonly uid: string;
  /** Whether it is so new that a replica may not have seen its invitation. */
  readonly isNew: boolean;
}

/** A watch that is further behind is one that has failed. */
const newForMs = 60_000;

/** Tokens of ServiceAccounts have about 1,000 characters. */
const longest = 8192;

/**
 * Reads a token before it is verified, so that garbage costs the API server nothing. Undefined for every token that was not
 * issued for a first boot, that of an agent among them.
 */
export function readClaims(token: string, now: number): TokenClaims | undefined {
  const parts = token.split(".");
  if (token.length > longest || parts.length !== 3) return undefined;
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(parts[1] ?? "", "base64url").toString("utf8"));
  } catch {
    return undefined; // Not a token of a ServiceAccount.
  }
  const [audiences, expires, issued] = [at(claims, "aud"), at(claims, "exp"), at(claims, "iat")];
  const isOurs =
    Array.isArray(audiences) &&
    audiences.length === 1 &&
    audiences[0] === audience &&
    at(claims, "sub") === accountName &&
    typeof expires === "number" &&
    typeof issued === "number" &&
    now < expires * 1000;
  const [name, uid] = ["name", "uid"].map((field) => at(claims, "kubernetes.io", "secret", field));
  if (!isOurs || typeof name !== "string" || typeof uid !== "string") return undefined;
  return { name, uid, isNew: now < issued * 1000 + newForMs };
}

/** The user of such a token. */
export const accountName = `system:serviceaccount:${firstBootNamespace}:${nodeAccount}`;
