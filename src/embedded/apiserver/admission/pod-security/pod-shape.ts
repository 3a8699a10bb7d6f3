import type { Container, PodSecurityContext, PodSpec, SecurityContext } from "kubernetes-types/core/v1.js";

/** A pod, or the pod of a template. */
export interface SecuredPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

/** A finding: what is wrong, and where, in the words of kube-apiserver. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type Check = (pod: SecuredPod) => Violation | undefined;

/** Containers of every sort, each with a security context. */
export function containersOf({ spec }: SecuredPod): (Container & { securityContext: SecurityContext })[] {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  return [...initContainers, ...containers, ...(ephemeralContainers as Container[])].map((container) => ({
    ...container,
    securityContext: container.securityContext ?? {},
  }));
}

/** What root may do in a user namespace of the pod's own does not concern the host. */
export const hasOwnUsers = ({ spec }: SecuredPod): boolean => (spec as { hostUsers?: boolean }).hostUsers === false;

/** Linux rules do not apply to pods for Windows. */
export const isWindows = ({ spec }: SecuredPod): boolean => (spec as { os?: { name?: string } }).os?.name === "windows";

/** A check of each container on its own. */
export function eachContainer(
  reason: string,
  must: string,
  isBad: (context: SecurityContext, pod: SecuredPod) => boolean,
): Check {
  return (pod) => {
    const bad = containersOf(pod).filter(({ securityContext }) => isBad(securityContext, pod));
    return bad.length === 0 ? undefined : { reason, detail: `${listed("container", bad)} ${must}` };
  };
}

type Context = Partial<SecurityContext & PodSecurityContext> | undefined;

/** The security contexts of the pod and its containers that `isBad`, and whose they are: `pod and container "a"`. */
export function those(pod: SecuredPod, isBad: (context: Context) => boolean): { who: string; of: Context[] } {
  const ofPod = pod.spec.securityContext;
  const bad = containersOf(pod).filter(({ securityContext }) => isBad(securityContext));
  const who = [...(isBad(ofPod) ? ["pod"] : []), ...(bad.length > 0 ? [listed("container", bad)] : [])];
  const of = [...(isBad(ofPod) ? [ofPod] : []), ...bad.map(({ securityContext }) => securityContext)];
  return { who: who.join(" and "), of };
}

/** `container "a"`, `containers "a", "b"`. */
export function listed(what: string, named: readonly { readonly name: string }[]): string {
  return `${plural(what, named)} ${quoted(named.map(({ name }) => name))}`;
}

export const plural = (what: string, of: readonly unknown[]): string => `${what}${of.length === 1 ? "" : "s"}`;

/** Each value once, in order. Quotes within are not escaped, as in kube-apiserver. */
export const quoted = (texts: readonly string[]): string => [...new Set(texts)].map((text) => `"${text}"`).join(", ");
