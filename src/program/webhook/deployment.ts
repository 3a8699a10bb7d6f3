import { confinedContainer, confinedPod, probesOn, spreadOverNodes } from "../../language/object/confinement.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { webhookName } from "./names.ts";
import { webhookServiceAccount } from "./rbac.ts";

const port = 8443;
const labels = { "app.kubernetes.io/name": webhookName, "app.kubernetes.io/part-of": "attune" };
const selector = { "app.kubernetes.io/name": webhookName };

export interface WebhookDeployment {
  readonly namespace: string;
  readonly image: string;
  readonly mode: string;
  readonly partitioningRelease: string;
  readonly replicas: number;
  /** Whether databases get start gates. Default false. */
  readonly scylla?: boolean | undefined;
}

/** The Deployment of the webhook, the Service through which API servers call it, and the ports that are reachable. */
export function webhookDeployment(options: WebhookDeployment): KubeObject[] {
  const { namespace, image, mode, partitioningRelease, replicas } = options;
  const args = ["--register", "service", "--mode", mode, "--namespace", namespace, "--service", webhookName];
  args.push("--partitioning-release", partitioningRelease);
  if (options.scylla) args.push("--scylla-gate-image", image);
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: webhookName, namespace, labels },
      spec: { selector, ports: [{ name: "https", port: 443, targetPort: "https", protocol: "TCP" }] },
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: webhookName, namespace, labels },
      spec: {
        podSelector: { matchLabels: selector },
        policyTypes: ["Ingress"],
        // API servers run outside of pods, at addresses that are not known here: ports can be limited, clients cannot.
        ingress: [{ ports: ["https", "metrics"].map((port) => ({ port, protocol: "TCP" })) }],
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: webhookName, namespace, labels },
      spec: {
        replicas,
        selector: { matchLabels: selector },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: webhookServiceAccount,
            priorityClassName: "system-cluster-critical",
            topologySpreadConstraints: spreadOverNodes(selector),
            securityContext: confinedPod,
            containers: [
              {
                name: "webhook",
                image,
                command: ["attune", "webhook"],
                args: [...args, "--host", "0.0.0.0", "--port", String(port), "--probe-address", ":8081"],
                ports: [
                  { name: "https", containerPort: port, protocol: "TCP" },
                  { name: "metrics", containerPort: 8081, protocol: "TCP" },
                ],
                ...probesOn("metrics", 5),
                // Bodies take at most 64 MiB, and several times that while they are parsed.
                resources: { requests: { cpu: "10m", memory: "128Mi" }, limits: { memory: "512Mi" } },
                securityContext: confinedContainer,
                terminationMessagePolicy: "FallbackToLogsOnError",
              },
            ],
          },
        },
      },
    },
  ];
}
