import type { Container, EnvVar } from "kubernetes-types/core/v1.js";
import { amountsOf } from "../../workloads/scheduler/resource-amounts.ts";
import type { Pod } from "../pod/pod-admission.ts";
import type { NodeReads } from "../node/node-reads.ts";

export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly reads: NodeReads;
  readonly hostIP: string;
  readonly podIP: string;
  /** Of the node: the limit of a container without one, as in the downward API. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Where a pod finds the API server. */
  readonly server: string;
}

export type Environment =
  | { readonly type: "ready"; readonly variables: Readonly<Record<string, string>> }
  | { readonly type: "blocked"; readonly message: string };

/** The environment of a container as a kubelet makes it: later variables win, and may refer to earlier ones. */
export async function environmentOf(input: EnvironmentInput): Promise<Environment> {
  const variables = serviceVariables(input);
  try {
    for (const source of input.container.envFrom ?? []) {
      const data = await dataOf(
        input,
        source.configMapRef ? "configMap" : "secret",
        source.configMapRef ?? source.secretRef,
      );
      for (const [key, value] of data ?? []) variables.set(`${source.prefix ?? ""}${key}`, value);
    }
    for (const variable of input.container.env ?? []) {
      const value = variable.valueFrom ? await valueFrom(input, variable) : expand(variable.value ?? "", variables);
      if (value !== undefined) variables.set(variable.name, value);
    }
  } catch (error) {
    if (error instanceof Blocked) return { type: "blocked", message: error.message };
    throw error;
  }
  return { type: "ready", variables: Object.assign(Object.create(null), Object.fromEntries(variables)) };
}

/** Whether a ConfigMap or Secret has to be read for it. */
export function readsForEnvironment({ env, envFrom }: Container): boolean {
  if (envFrom && envFrom.length > 0) return true;
  return env?.some(({ valueFrom: from }) => from?.configMapKeyRef || from?.secretKeyRef) ?? false;
}

class Blocked extends Error {}

function serviceVariables({ pod, server }: EnvironmentInput): Map<string, string> {
  const { hostname, port } = new URL(server);
  return new Map([
    ["HOSTNAME", pod.spec?.hostname ?? pod.metadata.name ?? ""],
    ["KUBERNETES_SERVICE_HOST", hostname.replace(/^\[|\]$/g, "")],
    ["KUBERNETES_SERVICE_PORT", port || "443"],
  ]);
}

async function valueFrom(input: EnvironmentInput, { valueFrom: from }: EnvVar): Promise<string | undefined> {
  if (from?.fieldRef) return fieldOf(from.fieldRef.fieldPath, input);
  if (from?.resourceFieldRef) return resourceOf(from.resourceFieldRef, input);
  const kind = from?.configMapKeyRef ? "configMap" : "secret";
  const ref = from?.configMapKeyRef ?? from?.secretKeyRef;
  const data = await dataOf(input, kind, ref);
  const value = ref && data?.get(ref.key);
  if (value === undefined && ref && !ref.optional)
    throw new Blocked(
      `couldn't find key ${ref.key} in ${kind === "secret" ? "Secret" : "ConfigMap"} ${input.pod.metadata.namespace}/${ref.name}`,
    );
  return value;
}

async function dataOf(
  { pod, reads }: EnvironmentInput,
  kind: "configMap" | "secret",
  ref: { name?: string; optional?: boolean } | undefined,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (!ref?.name) return undefined;
  const data = await reads.data(kind, pod.metadata.namespace ?? "", ref.name);
  if (!data && !ref.optional) throw new Blocked(`${kind.toLowerCase()} "${ref.name}" not found`);
  return data;
}

const bracketed = /^metadata\.(labels|annotations)\['([^']*)'\]$/;

/** The downward API. `undefined` for an unknown field. */
export function fieldOf(
  path: string,
  { pod, hostIP, podIP }: Pick<EnvironmentInput, "pod" | "hostIP" | "podIP">,
): string | undefined {
  const { metadata, spec } = pod;
  const within = bracketed.exec(path);
  if (within) {
    const of = within[1] === "labels" ? metadata.labels : metadata.annotations;
    const key = within[2] ?? "";
    return of && Object.hasOwn(of, key) ? of[key] : "";
  }
  switch (path) {
    case "metadata.name":
      return metadata.name;
    case "metadata.namespace":
      return metadata.namespace;
    case "metadata.uid":
      return metadata.uid;
    case "metadata.labels":
      return pairs(metadata.labels);
    case "metadata.annotations":
      return pairs(metadata.annotations);
    case "spec.nodeName":
      return spec?.nodeName;
    case "spec.serviceAccountName":
      return spec?.serviceAccountName;
    case "status.hostIP":
    case "status.hostIPs":
      return hostIP;
    case "status.podIP":
    case "status.podIPs":
      return podIP;
    default:
      return undefined;
  }
}

function pairs(of: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(of ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}

interface ResourceRef {
  resource: string;
  divisor?: string;
  containerName?: string;
}

export function resourceOf(
  { resource, divisor, containerName }: ResourceRef,
  { pod, container, allocatable }: Pick<EnvironmentInput, "pod" | "container" | "allocatable">,
): string | undefined {
  const of = containerName ? pod.spec?.containers.find(({ name }) => name === containerName) : container;
  const dot = resource.indexOf(".");
  const [which, name] = [resource.slice(0, dot), resource.slice(dot + 1)];
  if (which !== "limits" && which !== "requests") return undefined;
  const set = of?.resources?.[which];
  const fallback = which === "limits" ? allocatable[name] : "0";
  const amount = amountsOf({ [name]: set?.[name] ?? fallback ?? "0" }).get(name) ?? 0;
  const unit = divisor && divisor !== "0" ? (amountsOf({ [name]: divisor }).get(name) ?? 1) : name === "cpu" ? 1000 : 1;
  return String(Math.ceil(amount / unit));
}

/** `$(NAME)` → its value; `$$(NAME)` → `$(NAME)`; references to unknown names stay as they are. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  let result = "";
  for (let at = 0; at < text.length; at++) {
    const next = text[at + 1];
    if (text[at] !== "$" || (next !== "$" && next !== "(")) {
      result += text[at];
      continue;
    }
    if (next === "$") {
      result += "$";
      at++;
      continue;
    }
    const end = text.indexOf(")", at);
    if (end < 0) return result + text.slice(at);
    const name = text.slice(at + 2, end);
    result += variables.get(name) ?? text.slice(at, end + 1);
    at = end;
  }
  return result;
}
