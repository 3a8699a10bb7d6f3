import { createPublicKey, randomUUID, type KeyObject } from "node:crypto";
import { at, get, isObject, omitUndefined, type JsonObject } from "../../../../language/object/json.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import type { ObjectReader } from "../../storage/store-reader.ts";
import { isSignedBy, keyIdOf, peekClaims, signToken } from "./json-web-token.ts";
import { serviceAccountGroups, serviceAccountName, type User } from "../user.ts";

export const DEFAULT_ISSUER = "https://kubernetes.default.svc.cluster.local";

/** As kube-apiserver: tokens of an object stay valid this long after its deletionTimestamp. */
const DELETION_LEEWAY_MS = 60_000;

/** As kube-apiserver: the clock may have stepped back this far since a token was issued. */
const CLOCK_LEEWAY_MS = 60_000;

/**
 * The lifetime that kube-apiserver requests for the token mounted into a pod, and recognises it by. Such a token is
 * valid for a year, for programs that never read it again, and its `warnafter` is the requested end.
 */
export const MOUNTED_SECONDS = 3607;
const YEAR_SECONDS = 365 * 24 * 60 * 60;

const MAX_CACHED = 2000;

export interface Named {
  readonly name: string;
  readonly uid: string;
}

/** The account of a token, and the objects that its validity is bound to. */
export interface TokenSubject {
  readonly namespace: string;
  readonly serviceAccount: Named;
  readonly pod?: Named | undefined;
  readonly secret?: Named | undefined;
  /** Without a uid if the pod's Node does not exist. */
  readonly node?: { readonly name: string; readonly uid?: string | undefined } | undefined;
}

export type TokenOutcome =
  | { readonly ok: true; readonly user: User; readonly audiences: readonly string[] }
  /** `error` is absent if this server did not issue the token. */
  | { readonly ok: false; readonly error?: string };

export interface ServiceAccountTokenOptions {
  readonly key: KeyObject;
  readonly objects: ObjectReader;
  readonly clock: Clock;
  readonly issuer?: string;
}

interface Proven {
  readonly subject: TokenSubject;
  readonly audiences: readonly string[];
  readonly expires: number;
  readonly notBefore: number;
  readonly user: User;
}

/** Issues and verifies service account tokens. Signatures are cached; expiry and bound objects are checked each time. */
export class ServiceAccountTokens {
  readonly issuer: string;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;
  readonly #objects: ObjectReader;
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #proven = new Map<string, Proven>();

  constructor({ key, objects, clock, issuer = DEFAULT_ISSUER }: ServiceAccountTokenOptions) {
    this.issuer = issuer;
    this.#privateKey = key;
    this.#publicKey = createPublicKey(key);
    this.#keyId = keyIdOf(this.#publicKey);
    this.#objects = objects;
    this.#clock = clock;
  }

  /** A token valid for `seconds`, and its stated expiry in milliseconds. */
  issue(subject: TokenSubject, audiences: readonly string[], seconds: number): { token: string; expires: number } {
    const now = Math.floor(this.#clock.now() / 1000);
    const isMounted =
      seconds === MOUNTED_SECONDS &&
      subject.pod !== undefined &&
      audiences.every((audience) => audience === this.issuer);
    const claims: JsonObject = {
      aud: [...audiences],
      exp: now + (isMounted ? YEAR_SECONDS : seconds),
      iat: now,
      iss: this.issuer,
      jti: randomUUID(),
      "kubernetes.io": {
        namespace: subject.namespace,
        ...(subject.node ? { node: omitUndefined(subject.node) } : {}),
        ...(subject.pod ? { pod: { ...subject.pod } } : {}),
        ...(subject.secret ? { secret: { ...subject.secret } } : {}),
        serviceaccount: { ...subject.serviceAccount },
        ...(isMounted ? { warnafter: now + seconds } : {}),
      },
      nbf: now,
      sub: serviceAccountName(subject.namespace, subject.serviceAccount.name),
    };
    return { token: signToken(claims, this.#privateKey, this.#keyId), expires: (now + seconds) * 1000 };
  }

  /** The token's user, if it was issued for one of `audiences`. */
  verify(token: string, audiences: readonly string[] = [this.issuer]): TokenOutcome {
    const proven = this.#proven.get(token) ?? this.#prove(token);
    if (!proven) return { ok: false };
    const shared = audiences.filter((audience) => proven.audiences.includes(audience));
    if (shared.length === 0)
      return {
        ok: false,
        error: `token audiences ${shown(proven.audiences)} is invalid for the target audiences ${shown(audiences)}`,
      };
    const error = this.#outOfTime(proven) ?? this.#goneSubject(proven.subject);
    if (error !== undefined) return { ok: false, error };
    this.#remember(token, proven);
    return { ok: true, user: proven.user, audiences: shared };
  }

  #prove(token: string): Proven | undefined {
    const claims = peekClaims(token);
    // The issuer first: no signature is verified for tokens of other issuers.
    if (claims?.["iss"] !== this.issuer) return undefined;
    return isSignedBy(token, this.#publicKey, this.#keyId) ? readClaims(claims) : undefined;
  }

  #remember(token: string, proven: Proven): void {
    this.#proven.delete(token);
    this.#proven.set(token, proven);
    if (this.#proven.size <= MAX_CACHED) return;
    const [oldest] = this.#proven.keys();
    if (oldest !== undefined) this.#proven.delete(oldest);
  }

  #outOfTime({ expires, notBefore }: Proven): string | undefined {
    const now = this.#clock.now();
    if (now >= expires) return "service account token has expired";
    return now < notBefore - CLOCK_LEEWAY_MS ? "service account token is not valid yet" : undefined;
  }

  #goneSubject({ namespace, serviceAccount, pod, secret, node }: TokenSubject): string | undefined {
    const here = (name: string): string => `${namespace}/${name}`;
    if (!this.#lives("serviceaccounts", here(serviceAccount.name), serviceAccount.uid))
      return "service account token has been invalidated";
    if (pod && !this.#lives("pods", here(pod.name), pod.uid)) return "pod of the service account token is gone";
    if (secret && !this.#lives("secrets", here(secret.name), secret.uid))
      return "service account token has been invalidated";
    // In a pod's token the node is information only: the token is bound to the pod.
    if (node && !pod && !this.#lives("nodes", node.name, node.uid ?? ""))
      return "node of the service account token is gone";
    return undefined;
  }

  #lives(collection: string, key: string, uid: string): boolean {
    const object = this.#objects.get(collection, key);
    if (!object || object.metadata.uid !== uid) return false;
    const { deletionTimestamp } = object.metadata;
    return deletionTimestamp === undefined || this.#clock.now() <= Date.parse(deletionTimestamp) + DELETION_LEEWAY_MS;
  }
}

const shown = (audiences: readonly string[]): string => `[${audiences.map((one) => JSON.stringify(one)).join(" ")}]`;

function readClaims(claims: JsonObject): Proven | undefined {
  const own = get(claims, "kubernetes.io");
  const namespace = get(own, "namespace");
  const serviceAccount = named(get(own, "serviceaccount"));
  const { aud, exp, nbf, jti, sub } = claims;
  if (typeof namespace !== "string" || !serviceAccount || !isStrings(aud)) return undefined;
  if (typeof exp !== "number" || typeof nbf !== "number") return undefined;
  if (sub !== serviceAccountName(namespace, serviceAccount.name)) return undefined;
  const pod = named(at(own, "pod"));
  const secret = named(at(own, "secret"));
  const node = nodeIn(at(own, "node"));
  const extra: Record<string, readonly string[]> = {
    ...(typeof jti === "string" ? { "authentication.kubernetes.io/credential-id": [`JTI=${jti}`] } : {}),
    ...(node && {
      "authentication.kubernetes.io/node-name": [node.name],
      ...(node.uid === undefined ? {} : { "authentication.kubernetes.io/node-uid": [node.uid] }),
    }),
    ...(pod && {
      "authentication.kubernetes.io/pod-name": [pod.name],
      "authentication.kubernetes.io/pod-uid": [pod.uid],
    }),
  };
  return {
    subject: { namespace, serviceAccount, pod, secret, node },
    audiences: aud,
    expires: exp * 1000,
    notBefore: nbf * 1000,
    user: {
      name: sub,
      uid: serviceAccount.uid,
      groups: [...serviceAccountGroups(namespace), "system:authenticated"],
      extra,
    },
  };
}

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

function nodeIn(value: unknown): TokenSubject["node"] {
  const name = get(value, "name");
  const uid = get(value, "uid");
  return typeof name === "string" ? { name, uid: typeof uid === "string" ? uid : undefined } : undefined;
}

function named(value: unknown): Named | undefined {
  if (!isObject(value)) return undefined;
  const name = get(value, "name");
  const uid = get(value, "uid");
  return typeof name === "string" && typeof uid === "string" ? { name, uid } : undefined;
}
