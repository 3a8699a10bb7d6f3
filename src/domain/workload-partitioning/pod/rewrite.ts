import type { Container, QosClass } from "../../../language/cpu/qos-class.ts";
import { coresForCpu, cpuForCores, cpuShares, millicores } from "../../../language/cpu/shares.ts";
import { canonicalQuantity } from "../../../language/object/quantity.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { coresOf, preferred, resourcesPrefix, targetPrefix } from "../names.ts";
import type { ReleaseRules } from "../release.ts";
import { amount, annotationsOf, containersOf, mapContainers, withAnnotations, without } from "./pod.ts";
import { leastCpu, readCpu, writeCpu } from "./resource-annotation.ts";

/** What a container of the pod gets: its millicores as workload resource, and what CRI-O is told. */
interface Rewritten {
  readonly container: Container;
  /** Undefined: the container has no CPU to speak of, and stays as it is. */
  readonly annotation?: string;
}

export interface Origin {
  readonly workload: string;
  /** Annotations that the pod came with. */
  readonly original: Readonly<Record<string, string>>;
}

export interface Rewriting extends Origin {
  readonly class: QosClass;
  readonly release: ReleaseRules;
}

/** The pod on reserved CPUs: CPU becomes the workload resource, which the scheduler counts, and shares, which CRI-O applies. */
export function rewrite(pod: KubeObject, rewriting: Rewriting): KubeObject {
  const annotations: [string, string][] = [];
  const rewritten = mapContainers(pod, (before) => {
    const { container, annotation } = rewriteContainer(before, rewriting);
    if (annotation !== undefined) annotations.push([resourcesPrefix + before.name, annotation]);
    return container;
  });
  return withAnnotations(rewritten, {
    ...annotationsOf(pod),
    ...Object.fromEntries(annotations),
    [targetPrefix + rewriting.workload]: JSON.stringify({ effect: preferred }),
  });
}

function rewriteContainer(container: Container, { workload, class: qos, release, original }: Rewriting): Rewritten {
  if (qos === "BestEffort") return { container, annotation: leastCpu };
  const cores = coresOf(workload);
  const { requests, limits } = container.resources ?? {};
  const cpu = amount(requests, "cpu");
  const asked = amount(requests, cores);
  const done = rewrittenBefore(container, cores, original);
  // Without this a second admission would find no CPU, and leave the container without shares.
  const counted = done ? asked : cpu === undefined ? asked : coresForCpu(cpu);
  if (counted === undefined) return { container };
  const limit = done ? done.limit : millicores(amount(limits, "cpu") ?? "0");
  return {
    container: {
      ...container,
      resources: {
        ...container.resources,
        requests: { ...without(requests, "cpu"), [cores]: counted },
        limits: { ...without(limits, "cpu"), [cores]: counted },
      },
    },
    annotation: writeCpu(millicores(cpuForCores(counted)), limit, release),
  };
}

/**
 * What an earlier admission of the same pod told CRI-O: the API server calls webhooks again when a later one has changed the
 * pod, after LimitRanger and others, which may have given the container CPU again. Only then the annotation agrees with the
 * workload resource.
 */
export function rewrittenBefore(
  { name, resources }: Container,
  cores: string,
  original: Readonly<Record<string, string>>,
): { readonly limit: bigint } | undefined {
  const asked = amount(resources?.requests, cores);
  const key = resourcesPrefix + name;
  const told = Object.hasOwn(original, key) ? readCpu(original[key] ?? "") : undefined;
  if (asked === undefined || !told || told.limit < 0n) return undefined;
  return cpuShares(millicores(cpuForCores(asked))) === told.shares ? told : undefined;
}

/** The pod without CPU that containers were given after an earlier admission had taken theirs. */
export function withoutAddedCpu(pod: KubeObject, { workload, original }: Origin): KubeObject {
  const cores = coresOf(workload);
  return mapContainers(pod, (container) => {
    if (!rewrittenBefore(container, cores, original)) return container;
    const { requests, limits } = container.resources ?? {};
    return {
      ...container,
      resources: { ...container.resources, requests: without(requests, "cpu"), limits: without(limits, "cpu") },
    };
  });
}

/** The pod as an ordinary one: CPU instead of the workload resource. CPU that a container has already is what it gets. */
export function restore(pod: KubeObject, { workload, original }: Origin): KubeObject {
  const cores = coresOf(workload);
  if (!containersOf(pod).some(({ resources }) => amount(resources?.requests, cores) !== undefined)) return pod;
  return mapContainers(pod, (container) => {
    const { requests, limits } = container.resources ?? {};
    const asked = amount(requests, cores);
    if (asked === undefined) return container;
    const hasCpu = (amount(requests, "cpu") ?? amount(limits, "cpu")) !== undefined;
    const cpu = cpuForCores(asked);
    const limit = rewrittenBefore(container, cores, original)?.limit ?? 0n;
    // The API server refuses a limit below the request.
    const hasLimit = !hasCpu && limit > 0n && limit >= millicores(cpu);
    return {
      ...container,
      resources: {
        ...container.resources,
        requests: { ...(hasCpu ? {} : { cpu }), ...without(requests, cores) },
        limits: { ...(hasLimit ? { cpu: canonicalQuantity(`${limit}m`) } : {}), ...without(limits, cores) },
      },
    };
  });
}
