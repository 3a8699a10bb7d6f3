import { confinedContainer } from "../../../language/object/confinement.ts";
import type { QosClass } from "../../../language/cpu/qos-class.ts";
import { sidecarFolder } from "./gate-names.ts";

export interface SidecarInput {
  readonly name: string;
  readonly image: string;
  /** Of the pod as its author wrote it; undefined if the pod has resources as a whole, which its containers share. */
  readonly qos: QosClass | undefined;
  /** The user of the pod's containers that name none. */
  readonly podUser: number | undefined;
  readonly timeout: string | undefined;
  readonly volumes: { readonly shared: string; readonly token: string };
}

/** The command of the sidecar, by which it is known. */
export const sidecarCommand = ["attune", "scylla-gate"] as const;

const unprivilegedUser = 65532;
/** Few: the sidecar holds two objects. */
const amounts = { cpu: "10m", memory: "128Mi" };

/** The container that lets the database go on. */
export function sidecar({ name, image, qos, podUser, timeout, volumes }: SidecarInput): object {
  return {
    name,
    image,
    command: [...sidecarCommand],
    args: ["--folder", sidecarFolder, ...(timeout === undefined ? [] : ["--timeout", timeout])],
    env: ["name", "namespace", "uid"].map((field) => ({
      name: `POD_${field.toUpperCase()}`,
      valueFrom: { fieldRef: { fieldPath: `metadata.${field}` } },
    })),
    ...resourcesFor(qos),
    securityContext: {
      ...confinedContainer,
      runAsNonRoot: true,
      // The image names such a user. Where the pod names one too, or OpenShift chooses one, that user will do.
      ...(podUser === 0 ? { runAsUser: unprivilegedUser, runAsGroup: unprivilegedUser } : {}),
      seccompProfile: { type: "RuntimeDefault" },
    },
    terminationMessagePolicy: "FallbackToLogsOnError",
    volumeMounts: [
      { name: volumes.shared, mountPath: sidecarFolder },
      { name: volumes.token, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true },
    ],
  };
}

/** So that the pod keeps its class: only a Guaranteed pod gets CPUs of its own. */
function resourcesFor(qos: QosClass | undefined): object {
  if (qos === "Guaranteed") return { resources: { requests: amounts, limits: amounts } };
  if (qos === "Burstable") return { resources: { requests: amounts } };
  return {};
}

/** What the sidecar shares with the database, and its own token: as the API server mounts it into pods that ask for one. */
export function sidecarVolumes({ shared, token }: SidecarInput["volumes"]): object[] {
  const namespace = { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } };
  return [
    { name: shared, emptyDir: {} },
    {
      name: token,
      projected: {
        sources: [
          { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
          { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
          { downwardAPI: { items: [namespace] } },
        ],
      },
    },
  ];
}
