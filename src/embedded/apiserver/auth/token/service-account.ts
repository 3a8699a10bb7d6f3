/** How a service account appears as a user. */
const PREFIX = "system:serviceaccount:";

export const serviceAccountName = (namespace: string, name: string): string => `${PREFIX}${namespace}:${name}`;

export function serviceAccountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

// DNS labels and subdomains have neither `:` nor upper case: anything else under the prefix is an ordinary user's name.
const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

export function parseServiceAccountName(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace = "", name = "", ...rest] = user.slice(PREFIX.length).split(":");
  return rest.length === 0 && NAMESPACE.test(namespace) && NAME.test(name) ? { namespace, name } : undefined;
}
