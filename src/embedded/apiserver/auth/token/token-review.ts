import { at, get } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { badRequest } from "../../status-error.ts";
import type { Authenticator } from "../authenticator.ts";
import type { User } from "../user.ts";

/** TokenReview: the user of a token. */
export function reviewToken(body: KubeObject, authenticator: Authenticator): KubeObject {
  const token = at(body, "spec", "token");
  if (typeof token !== "string" || token === "")
    throw badRequest("token is required for TokenReview in authentication");
  const audiences = at(body, "spec", "audiences");
  const outcome = authenticator.authenticateToken(token, Array.isArray(audiences) ? audiences.map(String) : []);
  return {
    kind: body.kind,
    apiVersion: body.apiVersion,
    metadata: body.metadata,
    spec: get(body, "spec"),
    status: outcome.ok
      ? { authenticated: true, user: userInfo(outcome.user), audiences: outcome.audiences }
      : {
          user: {},
          error: outcome.error ? `[invalid bearer token, ${outcome.error}]` : "invalid bearer token",
        },
  };
}

/** SelfSubjectReview: the sender's own user. */
export function reviewSelf(body: KubeObject, user: User, now: string): KubeObject {
  return {
    kind: body.kind,
    apiVersion: body.apiVersion,
    metadata: { creationTimestamp: now },
    status: { userInfo: userInfo(user) },
  };
}

function userInfo({ name, uid, groups, extra }: User): Record<string, unknown> {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
