import type { Protocol } from "../../domain/node-tuning/api.ts";
import { confinedContainer, confinedPod, probesOn, spreadOverNodes } from "../../language/object/confinement.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { managementName, managementServiceAccount } from "./names.ts";

export interface ManagementDeployment {
  readonly namespace: string;
  /** Container image of the management side, of the operators of hosted clusters and of their agents. */
  readonly image: string;
  readonly protocol: Protocol;
  readonly replicas: number;
}

const probePort = 8080;
const selector = { "app.kubernetes.io/name": managementName };
const labels = { ...selector, "app.kubernetes.io/part-of": "attune" };

/** Leader election lets one of its replicas act. */
export function managementDeployment({ namespace, image, protocol, replicas }: ManagementDeployment): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: managementName, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: managementServiceAccount,
          priorityClassName: "system-cluster-critical",
          topologySpreadConstraints: spreadOverNodes(selector),
          securityContext: confinedPod,
          containers: [
            {
              name: "management",
              image,
              command: ["attune", "management"],
              args: [
                "--namespace",
                namespace,
                "--protocol",
                protocol,
                "--image",
                image,
                "--probe-address",
                `:${probePort}`,
              ],
              ports: [{ name: "probes", containerPort: probePort, protocol: "TCP" }],
              ...probesOn("probes"),
              resources: { requests: { cpu: "10m", memory: "128Mi" } },
              securityContext: confinedContainer,
              terminationMessagePolicy: "FallbackToLogsOnError",
            },
          ],
        },
      },
    },
  };
}
