import { createHash } from "node:crypto";
import type { Resource } from "../resource.ts";

/** Tells clients that cache stored objects when the storage version of a kind has moved. */
export function storageVersionHash(resource: Pick<Resource, "group" | "storageVersion" | "kind">): string {
  return createHash("sha256")
    .update(`${resource.group}/${resource.storageVersion}/${resource.kind}`)
    .digest()
    .subarray(0, 8)
    .toString("base64");
}
