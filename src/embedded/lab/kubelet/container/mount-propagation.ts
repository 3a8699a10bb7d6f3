import type { Container } from "kubernetes-types/core/v1.js";
import { tidy } from "../../../../node/host/host.ts";
import type { Pod } from "../pod/pod-admission.ts";

/** What the kernel shows of the mounts in which containers start. */
export const mountsFile = "/proc/1/mountinfo";

/**
 * Why the container runtime cannot mount a volume of the node with the propagation that a container asks for: mounts are
 * passed on only from a mount that is shared, or that is itself a slave of one. `mounts` is the text of `mountsFile`.
 */
export function refusedPropagation(pod: Pod, container: Container, mounts: string): string | undefined {
  for (const { name, mountPropagation } of container.volumeMounts ?? []) {
    const path = pod.spec?.volumes?.find((volume) => volume.name === name)?.hostPath?.path;
    if (path === undefined || !asksForPropagation(mountPropagation)) continue;
    const { point, options } = mountOf(tidy(path), mounts);
    if (options.some((option) => option.startsWith("shared:"))) continue;
    const both = mountPropagation === "Bidirectional";
    if (!both && options.some((option) => option.startsWith("master:"))) continue;
    return `path "${path}" is mounted on "${point}" but it is not a ${both ? "shared" : "shared or slave"} mount`;
  }
  return undefined;
}

export function asksForPropagation(mode: string | undefined): boolean {
  return mode === "HostToContainer" || mode === "Bidirectional";
}

interface Mount {
  readonly point: string;
  /** `shared:N`, `master:N`. */
  readonly options: readonly string[];
}

/** The mount that the path is on: of two at one place, the later one hides the other. */
function mountOf(path: string, mounts: string): Mount {
  let found: Mount = { point: "/", options: [] };
  for (const line of mounts.split("\n")) {
    const fields = line.split(" ");
    const point = fields[4];
    const isOn = point === "/" || path === point || path.startsWith(`${point}/`);
    if (point === undefined || !isOn || point.length < found.point.length) continue;
    found = { point, options: fields.slice(6, fields.indexOf("-")) };
  }
  return found;
}
