import type { Container } from "kubernetes-types/core/v1.js";
import type { Role } from "../container/container-run.ts";
import type { Pod } from "./pod-admission.ts";

/** In the order in which they start. */
export function containersOf({ spec }: Pod): { container: Container; role: Role }[] {
  const inits = (spec?.initContainers ?? []).map((container) => ({
    container,
    role:
      (container as { restartPolicy?: string }).restartPolicy === "Always" ? ("sidecar" as const) : ("init" as const),
  }));
  return [...inits, ...(spec?.containers ?? []).map((container) => ({ container, role: "main" as const }))];
}

export function restarts({ spec }: Pod, exitCode: number): boolean {
  const policy = spec?.restartPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** `10s`, `2m40s`, as kubectl users know it. */
export function goDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
