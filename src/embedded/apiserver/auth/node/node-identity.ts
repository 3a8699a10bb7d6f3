import type { User } from "../user.ts";

export const NODES = "system:nodes";
const PREFIX = "system:node:";

/**
 * Which node sends a request: `undefined` for everybody who is none. Empty for a member of the nodes that says no name;
 * such a one may nothing.
 */
export function nodeNameOf({ name, groups }: User): string | undefined {
  return name.startsWith(PREFIX) && groups.includes(NODES) ? name.slice(PREFIX.length) : undefined;
}
