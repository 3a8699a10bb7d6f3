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

/** The user that the Impersonate headers name. */
interface Impersonation {
  user: string;
  uid: string;
  groups: string[];
  extra: Map<string, string[]>;
}

/**
 * The user a request acts as: the sender, or the user of its Impersonate headers if the sender may impersonate that
 * user and each of its groups and extras. Throws the refusal otherwise. Headers come as name, value, name, value: in
 * joined values a comma between groups could not be distinguished from a comma in a group's name.
 */
export function impersonate(sender: User, rawHeaders: readonly string[], authorizer: Authorizer): User {
  const wanted = readHeaders(rawHeaders);
  if (!wanted) return sender;
  if (!wanted.user) {
    const requested = describeRest(wanted);
    if (requested.length === 0) return sender;
    throw badRequest(`requested [${requested.join(" ")}] without impersonating a user`);
  }
  for (const attributes of requestsOf(wanted)) {
    const decision = authorizer.authorize(sender, attributes);
    if (!decision.allowed) throw denied(sender, attributes, decision);
  }
  return {
    name: wanted.user,
    ...(wanted.uid ? { uid: wanted.uid } : {}),
    groups: groupsOf(wanted),
    ...(wanted.extra.size > 0 ? { extra: Object.fromEntries(wanted.extra) } : {}),
  };
}

function readHeaders(rawHeaders: readonly string[]): Impersonation | undefined {
  let wanted: Impersonation | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    // Fast path: skip headers that do not start with `i`.
    if ((name.charCodeAt(0) | 0x20) !== 0x69) continue;
    const header = name.toLowerCase();
    if (!header.startsWith("impersonate-")) continue;
    wanted ??= { user: "", uid: "", groups: [], extra: new Map() };
    const value = asUtf8(rawHeaders[i + 1] ?? "");
    if (header === "impersonate-user") wanted.user ||= value;
    else if (header === "impersonate-uid") wanted.uid ||= value;
    else if (header === "impersonate-group") wanted.groups.push(value);
    else if (header.startsWith(EXTRA_PREFIX)) {
      const key = unescaped(header.slice(EXTRA_PREFIX.length));
      const values = wanted.extra.get(key);
      if (values) values.push(value);
      else wanted.extra.set(key, [value]);
    }
  }
  return wanted;
}

/** Node reads the bytes of a header as Latin-1; clients write names in UTF-8. */
function asUtf8(value: string): string {
  for (let i = 0; i < value.length; i++)
    if (value.charCodeAt(i) > 0x7f) return Buffer.from(value, "latin1").toString("utf8");
  return value;
}

/** Keys may be percent-encoded, because a header name cannot contain a slash. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Everything that the sender must be allowed to impersonate. */
function requestsOf({ user, uid, groups, extra }: Impersonation): Attributes[] {
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

/** The requested groups, or a service account's own if none were, and system:authenticated or unauthenticated. */
function groupsOf({ user, groups }: Impersonation): string[] {
  const account = parseServiceAccountName(user);
  const all = groups.length === 0 && account ? serviceAccountGroups(account.namespace) : [...groups];
  if (user === anonymous.name) return all.includes(UNAUTHENTICATED) ? all : [...all, UNAUTHENTICATED];
  return all.includes(AUTHENTICATED) || all.includes(UNAUTHENTICATED) ? all : [...all, AUTHENTICATED];
}

/** As kube-apiserver prints ObjectReferences: kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath. */
function describeRest({ uid, groups, extra }: Impersonation): string[] {
  return [
    ...groups.map((name) => `{Group  ${name}    }`),
    ...[...extra].flatMap(([key, values]) =>
      values.map((name) => `{UserExtra  ${name}  authentication.k8s.io/v1  ${key}}`),
    ),
    ...(uid ? [`{UID  ${uid}  authentication.k8s.io/v1  }`] : []),
  ];
}
