import type { Container, PodSpec, ServiceAccount } from "kubernetes-types/core/v1.js";

const ENFORCED = "kubernetes.io/enforce-mountable-secrets";
const yes = new Set(["1", "t", "T", "true", "TRUE", "True"]);

/** Why a pod may not use one of its secrets, if its account has enforce-mountable-secrets. */
export function unmountableSecret(account: ServiceAccount, spec: PodSpec): string | undefined {
  const annotations = account.metadata?.annotations ?? {};
  if (!Object.hasOwn(annotations, ENFORCED) || !yes.has(annotations[ENFORCED] as string)) return undefined;
  const name = account.metadata?.name;
  const listed = new Set(account.secrets?.map((secret) => secret.name));
  for (const { secret } of spec.volumes ?? [])
    if (secret && !listed.has(secret.secretName))
      return `volume with secret.secretName="${secret.secretName}" is not allowed because service account ${name} does not reference that secret`;
  for (const [what, containers] of [
    ["init container", spec.initContainers],
    ["container", spec.containers],
  ] as const)
    for (const container of containers ?? []) {
      const used = unlistedIn(container, listed);
      if (used)
        return `${what} ${container.name} with ${used} is not allowed because service account ${name} does not reference that secret`;
    }
  const pulling = new Set(account.imagePullSecrets?.map((secret) => secret.name));
  for (const [index, secret] of (spec.imagePullSecrets ?? []).entries())
    if (!pulling.has(secret.name))
      return `imagePullSecrets[${index}].name="${secret.name}" is not allowed because service account ${name} does not reference that imagePullSecret`;
  return undefined;
}

function unlistedIn({ env, envFrom }: Container, listed: ReadonlySet<string | undefined>): string | undefined {
  for (const { name, valueFrom } of env ?? []) {
    const secret = valueFrom?.secretKeyRef;
    if (secret && !listed.has(secret.name)) return `envVar ${name} referencing secret.secretName="${secret.name}"`;
  }
  for (const { secretRef } of envFrom ?? [])
    if (secretRef && !listed.has(secretRef.name)) return `envFrom referencing secret.secretName="${secretRef.name}"`;
  return undefined;
}
