import { createHash } from "node:crypto";
import type { Resource } from "../resource.ts";

/** Tells clients that cache stored objects when the storage version of a kind has moved. */
export function storageVersionHash(resource: Pick<Resource, "group" | "storageVersion" | "kind" | "storedAs">): string {
  const { group, version, kind } = resource.storedAs ?? { ...resource, version: resource.storageVersion };
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
