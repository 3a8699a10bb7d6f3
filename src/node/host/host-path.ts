import type { Failure } from "./host.ts";

/** Why a path is not one that a host may be asked about; undefined when it is. */
export function refusal(path: string): Failure | undefined {
  if (!path.startsWith("/") || path.includes("\0")) return refused(path, "is not an absolute path");
  if (path.split("/").includes("..")) return refused(path, "may not contain ..");
  return undefined;
}

export function refused(path: string, why: string): Failure {
  return { type: "failed", code: "EINVAL", message: `${path} ${why}` };
}

/** `/a//b/` → `/a/b` */
export function tidy(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")}`;
}
