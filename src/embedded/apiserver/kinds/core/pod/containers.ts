import type { Container, PodSpec } from "kubernetes-types/core/v1.js";
import { dnsLabel } from "../../../../../language/object/names.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../../../../language/schema/field-error.ts";
import { validateContainerResources } from "../../resource-list.ts";
import { validateEnv, validateEnvFrom } from "./environment.ts";
import { validateHostPorts, validatePorts } from "./ports.ts";
import { forbidProbes, validateLifecycleAndProbes } from "./probes.ts";
import { validateSecurityContext } from "./security.ts";
import { validateMounts } from "./volumes.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"];
const messagePolicies = ["File", "FallbackToLogsOnError"];
const restartPolicies = ["Always", "Never", "OnFailure"];

/** Containers, then init containers: names are unique among both. */
export function validateContainers(spec: PodSpec, at: string): FieldError[] {
  const { containers, initContainers = [] } = spec;
  if ((containers ?? []).length === 0) return [required(`${at}.containers`)];
  const volumes = new Set((spec.volumes ?? []).map(({ name }) => name));
  const names = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, container] of containers.entries()) {
    const field = `${at}.containers[${index}]`;
    errors.push(...validateContainer(container, names, volumes, field));
    errors.push(...validateLifecycleAndProbes(container, field), ...validateRestartPolicy(container, field));
  }
  errors.push(...validateHostPorts(containers, `${at}.containers`));
  for (const [index, container] of initContainers.entries()) {
    const field = `${at}.initContainers[${index}]`;
    errors.push(...validateContainer(container, names, volumes, field));
    const sidecar = container.restartPolicy === "Always";
    errors.push(...(sidecar ? validateLifecycleAndProbes(container, field) : forbidProbes(container, field)));
    errors.push(...validateRestartPolicy(container, field));
  }
  return errors;
}

function validateContainer(
  container: Container,
  names: Set<string>,
  volumes: ReadonlySet<string>,
  at: string,
): FieldError[] {
  const { name, image, terminationMessagePolicy = "", imagePullPolicy = "" } = container;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${at}.name`));
  else {
    for (const reason of dnsLabel(name)) errors.push(invalid(`${at}.name`, name, reason));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
  }
  if (!image) errors.push(required(`${at}.image`));
  if (!messagePolicies.includes(terminationMessagePolicy))
    errors.push(notSupported(`${at}.terminationMessagePolicy`, terminationMessagePolicy, messagePolicies));
  errors.push(...validatePorts(container.ports ?? [], `${at}.ports`));
  errors.push(...validateEnv(container.env ?? [], `${at}.env`));
  errors.push(...validateEnvFrom(container.envFrom ?? [], `${at}.envFrom`));
  errors.push(...validateMounts(container.volumeMounts ?? [], volumes, `${at}.volumeMounts`));
  if (!pullPolicies.includes(imagePullPolicy))
    errors.push(notSupported(`${at}.imagePullPolicy`, imagePullPolicy, pullPolicies));
  errors.push(...validateContainerResources(container.resources ?? {}, `${at}.resources`));
  errors.push(...validateSecurityContext(container.securityContext, `${at}.securityContext`));
  return errors;
}

function validateRestartPolicy({ restartPolicy }: Container, at: string): FieldError[] {
  return restartPolicy === undefined || restartPolicies.includes(restartPolicy)
    ? []
    : [notSupported(`${at}.restartPolicy`, restartPolicy, restartPolicies)];
}

/** Checked for pods only: a template is checked when a pod is created from it. */
export function validateImageSpaces(spec: PodSpec, at: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const kind of ["initContainers", "containers"] as const)
    for (const [index, { image = "" }] of (spec[kind] ?? []).entries())
      if (image !== image.trim())
        errors.push(invalid(`${at}.${kind}[${index}].image`, image, "must not have leading or trailing whitespace"));
  return errors;
}
