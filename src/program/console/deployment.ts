import { confinedContainer, confinedPod, spreadOverNodes } from "../../language/object/confinement.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { authorityFolder, certificateFolder, consoleName, consoleSecret } from "./names.ts";

/** Where browsers find it behind `kubectl port-forward`, too: a console admits its own port alone. */
const consolePort = 8443;

const labels = { "app.kubernetes.io/name": consoleName, "app.kubernetes.io/part-of": "attune" };
const selector = { "app.kubernetes.io/name": consoleName };

export interface ConsoleDeployment {
  readonly namespace: string;
  readonly image: string;
  /** Pods get a user of the namespace's range there: another one would take a right. */
  readonly isOpenShift: boolean;
}

/**
 * The console for users of the cluster, who sign in with tokens of their own. Its account has no rights, and its pod no token:
 * who takes over the console has what its users sent since then, and nothing else.
 */
export function consoleDeployment({ namespace, image, isOpenShift }: ConsoleDeployment): KubeObject[] {
  return [
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: consoleName, namespace, labels },
      automountServiceAccountToken: false,
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: consoleName,
        namespace,
        labels,
        annotations: { "service.beta.openshift.io/serving-cert-secret-name": consoleSecret },
      },
      spec: { selector, ports: [{ name: "https", port: consolePort, targetPort: "https", protocol: "TCP" }] },
    },
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: consoleName, namespace, labels },
      spec: {
        podSelector: { matchLabels: selector },
        policyTypes: ["Ingress"],
        // Browsers come through an ingress or a forwarded port, from addresses that are not known here.
        ingress: [{ ports: [{ port: "https", protocol: "TCP" }] }],
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: consoleName, namespace, labels },
      spec: {
        // A page keeps to the pod that has its stream.
        replicas: 1,
        selector: { matchLabels: selector },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: consoleName,
            automountServiceAccountToken: false,
            topologySpreadConstraints: spreadOverNodes(selector),
            securityContext: isOpenShift ? anyUser : confinedPod,
            containers: [
              {
                name: "console",
                image,
                command: ["attune", "console"],
                args: ["--in-cluster", "--log-level", "info", "--port", String(consolePort)],
                ports: [{ name: "https", containerPort: consolePort, protocol: "TCP" }],
                volumeMounts: [
                  { name: "authority", mountPath: authorityFolder, readOnly: true },
                  { name: "certificate", mountPath: certificateFolder, readOnly: true },
                ],
                // It answers only to its own host names, and the kubelet asks by address.
                ...probes,
                // The caches of each user are their own.
                resources: { requests: { cpu: "10m", memory: "128Mi" }, limits: { memory: "1Gi" } },
                securityContext: confinedContainer,
                terminationMessagePolicy: "FallbackToLogsOnError",
              },
            ],
            volumes: [
              // Every namespace has it.
              { name: "authority", configMap: { name: "kube-root-ca.crt" } },
              // Optional: without it the console makes a certificate of its own, which browsers warn of.
              { name: "certificate", secret: { secretName: consoleSecret, optional: true } },
            ],
          },
        },
      },
    },
  ];
}

const { runAsUser: _user, runAsGroup: _group, ...anyUser } = confinedPod;

const tcpSocket = { port: "https" };
const probes = {
  livenessProbe: { tcpSocket, initialDelaySeconds: 10, periodSeconds: 20 },
  readinessProbe: { tcpSocket, periodSeconds: 5 },
};
