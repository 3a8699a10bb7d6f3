import type { Container as Sized } from "../../../language/cpu/qos-class.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { databaseContainer } from "../names.ts";
import { gateName, tokenVolume } from "./gate-names.ts";
import type { Probed } from "./patient-probes.ts";
import { sidecarCommand } from "./sidecar.ts";
import { behindWait } from "./wait.ts";

export interface Container extends Sized, Probed {
  command?: string[];
  args?: string[];
  volumeMounts?: { name: string; mountPath: string }[];
  securityContext?: { runAsUser?: number };
  [field: string]: unknown;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: { name: string }[];
  securityContext?: { runAsUser?: number };
  serviceAccountName?: string;
  restartPolicy?: string;
  resources?: object;
  os?: { name?: string };
  [field: string]: unknown;
}

/** A pod as admission sees it. */
export interface Pod extends KubeObject {
  spec?: PodSpec;
}

const isNumbered = (name: string, base: string): boolean =>
  name === base || (name.startsWith(`${base}-`) && /^[0-9]+$/.test(name.slice(base.length + 1)));

/** Whether a container is the sidecar of a gate, of any version. */
export function isSidecar({ name, command }: Pick<Container, "name" | "command">): boolean {
  return isNumbered(name, gateName) && sidecarCommand.every((word, index) => command?.[index] === word);
}

export function hasGate({ spec }: Pod): boolean {
  return spec?.containers.some(isSidecar) ?? false;
}

/** The pod as its author wrote it, but for the patience of its probes: a template may be a copy of a pod with a gate. */
export function withoutGate(spec: PodSpec): PodSpec {
  const mounted = new Set(
    spec.containers
      .filter(isSidecar)
      .flatMap((one) => one.volumeMounts ?? [])
      .map(({ name }) => name),
  );
  const isOurs = ({ name }: { name: string }): boolean =>
    mounted.has(name) && (isNumbered(name, gateName) || isNumbered(name, tokenVolume));
  if (mounted.size === 0 && !spec.containers.some(isSidecar)) return spec;
  const containers = spec.containers
    .filter((container) => !isSidecar(container))
    .map((container) => {
      if (container.name !== databaseContainer) return container;
      const command = behindWait(container.command) ?? container.command;
      const volumeMounts = container.volumeMounts?.filter((mount) => !isOurs(mount));
      return { ...container, ...(command ? { command } : {}), ...(volumeMounts ? { volumeMounts } : {}) };
    });
  return { ...spec, containers, ...(spec.volumes ? { volumes: spec.volumes.filter((one) => !isOurs(one)) } : {}) };
}
