import type { Container } from "../../../language/cpu/qos-class.ts";
import { at, isObject, text } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

export type Amounts = Readonly<Record<string, string>>;

/** Init containers, sidecars among them, then the others. Ephemeral containers have no resources. */
export function containersOf(pod: KubeObject): readonly Container[] {
  return [...list(pod, "initContainers"), ...list(pod, "containers")];
}

export function appContainersOf(pod: KubeObject): readonly Container[] {
  return list(pod, "containers");
}

function list(pod: KubeObject, field: string): readonly Container[] {
  const containers = at(pod, "spec", field);
  return Array.isArray(containers) ? (containers.filter(isObject) as unknown as Container[]) : [];
}

/** A copy in which every container, in the order of `containersOf`, is replaced. */
export function mapContainers(pod: KubeObject, replace: (container: Container) => Container): KubeObject {
  const spec = at(pod, "spec");
  if (!isObject(spec)) return pod;
  const mapped = ["initContainers", "containers"].flatMap((field) => {
    const containers = spec[field];
    const replaced = (one: unknown): unknown => (isObject(one) ? replace(one as unknown as Container) : one);
    return Array.isArray(containers) ? [[field, containers.map(replaced)] as const] : [];
  });
  return { ...pod, spec: { ...spec, ...Object.fromEntries(mapped) } };
}

export function annotationsOf(pod: KubeObject): Readonly<Record<string, string>> {
  return isObject(pod.metadata.annotations) ? pod.metadata.annotations : {};
}

/** A copy with these annotations. A pod that has none keeps having none. */
export function withAnnotations(pod: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  if (!pod.metadata.annotations && Object.keys(annotations).length === 0) return pod;
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/** A copy without these annotations; the pod itself if it has none of them. */
export function withoutAnnotations(pod: KubeObject, isRemoved: (key: string) => boolean): KubeObject {
  const entries = Object.entries(annotationsOf(pod));
  const kept = entries.filter(([key]) => !isRemoved(key));
  return kept.length === entries.length ? pod : withAnnotations(pod, Object.fromEntries(kept));
}

export function amount(amounts: Amounts | undefined, name: string): string | undefined {
  return isObject(amounts) && Object.hasOwn(amounts, name) ? String(amounts[name]) : undefined;
}

export function without(amounts: Amounts | undefined, ...names: string[]): Amounts {
  return Object.fromEntries(Object.entries(amounts ?? {}).filter(([name]) => !names.includes(name)));
}

export const nameOf = (pod: KubeObject): string => text(pod.metadata.name) || text(pod.metadata.generateName);
