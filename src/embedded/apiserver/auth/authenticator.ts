import { createHash } from "node:crypto";
import { unauthorized } from "../status-error.ts";
import { impersonate } from "./impersonation.ts";
import type { ServiceAccountTokens, TokenOutcome } from "./token/service-account-token.ts";
import { anonymous, type Authorizer, type User } from "./user.ts";

/** The identity in `socket.getPeerCertificate()`. Pass the same object for every request of a connection. */
export interface ClientCertificate {
  readonly subject?: { readonly CN?: string | string[] | undefined; readonly O?: string | string[] | undefined };
  readonly fingerprint256?: string;
}

export interface RequestCredentials {
  /** Only if TLS verified the certificate (`socket.authorized`). */
  readonly clientCertificate?: ClientCertificate | undefined;
  readonly authorization?: string | undefined;
  /** Name, value, name, value: `request.rawHeaders`. */
  readonly rawHeaders: readonly string[];
}

export interface AuthenticatorOptions {
  readonly authorizer: Authorizer;
  readonly serviceAccountTokens: ServiceAccountTokens;
  /** Bearer tokens that never change, and their users. */
  readonly staticTokens?: ReadonlyMap<string, User>;
}

/** Finds the user who sends a request. */
export class Authenticator {
  readonly #authorizer: Authorizer;
  readonly #serviceAccountTokens: ServiceAccountTokens;
  /** By digest, so that the time of a look-up reveals nothing about the tokens. */
  readonly #staticTokens = new Map<string, User>();
  readonly #certificateUsers = new WeakMap<ClientCertificate, User>();

  constructor({ authorizer, serviceAccountTokens, staticTokens = new Map() }: AuthenticatorOptions) {
    this.#authorizer = authorizer;
    this.#serviceAccountTokens = serviceAccountTokens;
    for (const [token, user] of staticTokens) this.#staticTokens.set(digest(token), user);
  }

  /** The user a request acts as. Throws 401 for an invalid token, 403 for forbidden impersonation. */
  authenticate(request: RequestCredentials): User {
    return impersonate(this.#sender(request), request.rawHeaders, this.#authorizer);
  }

  /** The user of a bearer token that is valid for one of `audiences`; by default, for this server. */
  authenticateToken(token: string, audiences: readonly string[] = []): TokenOutcome {
    const { issuer } = this.#serviceAccountTokens;
    const wanted = audiences.length > 0 ? audiences : [issuer];
    const user = this.#staticTokens.get(digest(token));
    if (!user) return this.#serviceAccountTokens.verify(token, wanted);
    return wanted.includes(issuer) ? { ok: true, user, audiences: [issuer] } : { ok: false };
  }

  #sender({ clientCertificate, authorization }: RequestCredentials): User {
    const known = clientCertificate && this.#certificateUser(clientCertificate);
    if (known) return known;
    const token = bearerToken(authorization);
    if (!token) return anonymous;
    const outcome = this.authenticateToken(token);
    if (!outcome.ok) throw unauthorized();
    return outcome.user;
  }

  #certificateUser(certificate: ClientCertificate): User | undefined {
    const seen = this.#certificateUsers.get(certificate);
    if (seen) return seen;
    const user = userOf(certificate);
    if (user) this.#certificateUsers.set(certificate, user);
    return user;
  }
}

/** The common name is the user, each organisation a group. Undefined without a common name. */
export function userOf({ subject, fingerprint256 = "" }: ClientCertificate): User | undefined {
  const name = listOf(subject?.CN).at(-1);
  if (!name) return undefined;
  const groups = listOf(subject?.O);
  return {
    name,
    groups: groups.includes("system:authenticated") ? groups : [...groups, "system:authenticated"],
    extra: {
      "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint256.replaceAll(":", "").toLowerCase()}`],
    },
  };
}

/** Node gives one value as a string, several as an array. */
function listOf(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

/** Empty for other schemes: such a request is anonymous. */
function bearerToken(authorization: string | undefined): string {
  const [scheme = "", token = ""] = authorization?.trim().split(" ") ?? [];
  return scheme.toLowerCase() === "bearer" ? token : "";
}

const digest = (token: string): string => createHash("sha256").update(token).digest("base64");
