import { badRequest } from "../status-error.ts";
import { denied } from "./cluster-authorizer.ts";
import {
  anonymous,
  type Attributes,
  type Authorizer,
  parseServiceAccountName,
  serviceAccountGroups,
  type User,
} from "./user.ts";

const EXTRA_PREFIX = "impersonate-extra-";
const AUTHENTICATED = "system:authenticated";
const UNAUTHENTICATED = "system:unauthenticated";

/** Whom the sender wants to be taken for, as the headers say. */
interface Wish {
  user: string;
  uid: string;
  groups: string[];
  extra: Map<string, string[]>;
}

/**
 * The user a request acts as: the sender, or whom its Impersonate headers name if the sender may be that user, each of
 * those groups, and so on. Throws the refusal otherwise. Headers come as name, value, name, value: joined values could
 * not be told from a group with a comma in its name.
 */
export function impersonate(sender: User, rawHeaders: readonly string[], authorizer: Authorizer): User {
  const wish = readHeaders(rawHeaders);
  if (!wish) return sender;
  if (!wish.user) {
    const requested = describeRest(wish);
    if (requested.length === 0) return sender;
    throw badRequest(`requested [${requested.join(" ")}] without impersonating a user`);
  }
  for (const attributes of requestsOf(wish)) {
    const decision = authorizer.authorize(sender, attributes);
    if (!decision.allowed) throw denied(sender, attributes, decision);
  }
  return {
    name: wish.user,
    ...(wish.uid ? { uid: wish.uid } : {}),
    groups: groupsOf(wish),
    ...(wish.extra.size > 0 ? { extra: Object.fromEntries(wish.extra) } : {}),
  };
}

function readHeaders(rawHeaders: readonly string[]): Wish | undefined {
  let wish: Wish | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    // Nearly every header is passed over by its first letter.
    if ((name.charCodeAt(0) | 0x20) !== 0x69) continue;
    const header = name.toLowerCase();
    if (!header.startsWith("impersonate-")) continue;
    wish ??= { user: "", uid: "", groups: [], extra: new Map() };
    const value = asUtf8(rawHeaders[i + 1] ?? "");
    if (header === "impersonate-user") wish.user ||= value;
    else if (header === "impersonate-uid") wish.uid ||= value;
    else if (header === "impersonate-group") wish.groups.push(value);
    else if (header.startsWith(EXTRA_PREFIX)) {
      const key = unescaped(header.slice(EXTRA_PREFIX.length));
      const values = wish.extra.get(key);
      if (values) values.push(value);
      else wish.extra.set(key, [value]);
    }
  }
  return wish;
}

/** Node reads the bytes of a header as Latin-1; clients write names in UTF-8. */
function asUtf8(value: string): string {
  for (let i = 0; i < value.length; i++)
    if (value.charCodeAt(i) > 0x7f) return Buffer.from(value, "latin1").toString("utf8");
  return value;
}

/** Keys may be percent-encoded, for a header's name cannot hold a slash. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** What the sender must be allowed, one question each. */
function requestsOf({ user, uid, groups, extra }: Wish): Attributes[] {
  const verb = { type: "resource", verb: "impersonate", version: "v1", namespace: "" } as const;
  const core = { ...verb, group: "", subresource: "" };
  const authentication = { ...verb, group: "authentication.k8s.io" };
  const account = parseServiceAccountName(user);
  return [
    account ? { ...core, resource: "serviceaccounts", ...account } : { ...core, resource: "users", name: user },
    ...groups.map((name) => ({ ...core, resource: "groups", name })),
    ...[...extra].flatMap(([key, values]) =>
      values.map((name) => ({ ...authentication, resource: "userextras", subresource: key, name })),
    ),
    ...(uid ? [{ ...authentication, resource: "uids", subresource: "", name: uid }] : []),
  ];
}

/** A user has the groups asked for, those of its kind if none were, and the one that says whether it is known. */
function groupsOf({ user, groups }: Wish): string[] {
  const account = parseServiceAccountName(user);
  const all = groups.length === 0 && account ? serviceAccountGroups(account.namespace) : [...groups];
  if (user === anonymous.name) return all.includes(UNAUTHENTICATED) ? all : [...all, UNAUTHENTICATED];
  return all.includes(AUTHENTICATED) || all.includes(UNAUTHENTICATED) ? all : [...all, AUTHENTICATED];
}

/** As the real server prints its list of references: kind, namespace, name, uid, version, revision, field. */
function describeRest({ uid, groups, extra }: Wish): string[] {
  return [
    ...groups.map((name) => `{Group  ${name}    }`),
    ...[...extra].flatMap(([key, values]) =>
      values.map((name) => `{UserExtra  ${name}  authentication.k8s.io/v1  ${key}}`),
    ),
    ...(uid ? [`{UID  ${uid}  authentication.k8s.io/v1  }`] : []),
  ];
}
