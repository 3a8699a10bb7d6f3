import type { Container, Pod, PodSpec, ServiceAccount, Volume } from "kubernetes-types/core/v1.js";
import { isMirrorPod, podReferences } from "../../auth/node/pod-references.ts";
import { MOUNTED_SECONDS } from "../../auth/token/service-account-token.ts";
import { generateName } from "../../generate-name.ts";
import type { Lookup } from "../../resource.ts";
import { type AdmissionPlugin, type Attributes, refused } from "../admission.ts";
import { unmountableSecret } from "./mountable-secrets.ts";

const VOLUME = "kube-api-access-";
const MOUNTED_AT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Gives every pod an existing service account, and mounts its token. */
export function serviceAccount(objects: Lookup): AdmissionPlugin {
  return {
    name: "ServiceAccount",
    handles: ({ operation, resource, subresource }) =>
      operation === "CREATE" && resource.plural === "pods" && resource.group === "" && subresource === "",
    admit: (attributes) => {
      const { spec } = podIn(attributes);
      // A mirror pod must stay as the kubelet wrote it.
      if (isMirror(attributes)) return refuseReferences(attributes);
      // `serviceAccount` is the deprecated alias; kube-apiserver sets both.
      spec.serviceAccountName ||= "default";
      spec.serviceAccount = spec.serviceAccountName;
      const account = accountOf(attributes, objects);
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
      if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
        spec.imagePullSecrets = account.imagePullSecrets.map(({ name }) => (name ? { name } : {}));
    },
    validate: (attributes) => {
      if (isMirror(attributes)) return refuseReferences(attributes);
      const { metadata, spec } = podIn(attributes);
      if (!spec.serviceAccountName)
        throw refused(
          attributes,
          `no service account specified for pod ${attributes.namespace}/${metadata?.name ?? ""}`,
        );
      const why = unmountableSecret(accountOf(attributes, objects), spec);
      if (why) throw refused(attributes, why);
    },
  };
}

const podIn = ({ object }: Attributes): Pod & { spec: PodSpec } => object as unknown as Pod & { spec: PodSpec };

const isMirror = ({ object }: Attributes): boolean => object !== undefined && isMirrorPod(object);

function refuseReferences(attributes: Attributes): void {
  const { metadata, spec } = podIn(attributes);
  if (spec.serviceAccountName) throw refused(attributes, "a mirror pod may not reference service accounts");
  if (podReferences(metadata?.name ?? "", spec).some(({ kind }) => kind === "secrets"))
    throw refused(attributes, "a mirror pod may not reference secrets");
  for (const { projected } of spec.volumes ?? [])
    if (projected?.sources?.some((source) => source.serviceAccountToken))
      throw refused(attributes, "a mirror pod may not use ServiceAccountToken volume projections");
}

function accountOf(attributes: Attributes, objects: Lookup): ServiceAccount {
  const { namespace } = attributes;
  const name = podIn(attributes).spec.serviceAccountName ?? "";
  const found = objects.head("serviceaccounts", `${namespace}/${name}`);
  if (!found)
    throw refused(
      attributes,
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  return found as ServiceAccount;
}

/** Mounts the token into every container without a mount at that path. An existing token volume is reused. */
function mountToken(spec: PodSpec): void {
  const there = spec.volumes?.find((volume) => volume.name.startsWith(VOLUME));
  const name = there?.name ?? generateName(VOLUME);
  const lacking = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(lacksToken);
  for (const container of lacking)
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: MOUNTED_AT }];
  if (!there && lacking.length > 0) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

const lacksToken = ({ volumeMounts }: Container): boolean =>
  !volumeMounts?.some(({ mountPath }) => mountPath === MOUNTED_AT);

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds: MOUNTED_SECONDS, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
    },
  };
}
