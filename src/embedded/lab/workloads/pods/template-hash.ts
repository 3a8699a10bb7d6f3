import { hashOf, safeEncode } from "../../../../language/object/hash.ts";

/**
 * The short hash that ends the names of ReplicaSets and revisions: at most ten letters that spell no words. Another
 * `collisions` gives another hash for the same content.
 */
export function templateHash(content: unknown, collisions = 0): string {
  const hash = hashOf(collisions === 0 ? content : [content, collisions]);
  return safeEncode(String(Number.parseInt(hash.slice(0, 8), 16)));
}
