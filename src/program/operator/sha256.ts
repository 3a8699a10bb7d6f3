import { createHash } from "node:crypto";
import type { Digest } from "../../domain/machine-config/content-hash.ts";

/** By which rendered configs are named. */
export const sha256: Digest = (parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};
