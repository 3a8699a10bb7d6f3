import type { Probe } from "../probe.ts";
import { merge, namespace, patch, post } from "./wire.ts";

const label = (mode: string): string => `pod-security.kubernetes.io/${mode}`;
const container = { name: "c", image: "i" };
const secured = (securityContext: object): object => ({ containers: [{ ...container, securityContext }] });
const pod = (name: string, spec: object): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [container], ...spec },
});

const careful = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  ...secured({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } }),
};

const specs: readonly object[] = [
  {},
  careful,
  { hostNetwork: true, hostPID: true, hostIPC: true },
  secured({ privileged: true }),
  secured({ capabilities: { add: ["SYS_ADMIN", "NET_ADMIN", "CHOWN"] } }),
  {
    volumes: [
      { name: "v", hostPath: { path: "/" } },
      { name: "w", nfs: { server: "s", path: "/" } },
    ],
  },
  {
    containers: [
      {
        ...container,
        ports: [
          { containerPort: 80, hostPort: 8080 },
          { containerPort: 81, hostPort: 9 },
        ],
      },
    ],
  },
  { ...secured({ procMount: "Unmasked" }), hostUsers: false },
  {
    securityContext: { seccompProfile: { type: "Unconfined" } },
    ...secured({ seccompProfile: { type: "Unconfined" } }),
  },
  {
    securityContext: { seLinuxOptions: { type: "a_t", role: "r" } },
    ...secured({ seLinuxOptions: { type: "b_t", user: "u" } }),
  },
  {
    securityContext: {
      sysctls: [
        { name: "kernel.msgmax", value: "1" },
        { name: "net.ipv4.tcp_rmem", value: "1" },
      ],
    },
  },
  { ...careful, securityContext: { runAsNonRoot: false, runAsUser: 0 } },
  { ...careful, securityContext: { seccompProfile: { type: "RuntimeDefault" }, runAsUser: 0 }, hostUsers: false },
  {
    securityContext: { appArmorProfile: { type: "Unconfined" } },
    ...secured({ appArmorProfile: { type: "Unconfined" } }),
  },
  {
    initContainers: [{ ...container, name: "i" }],
    containers: [
      {
        ...container,
        livenessProbe: { httpGet: { port: 1, host: "h" } },
        readinessProbe: { tcpSocket: { port: 1, host: "g" } },
        lifecycle: { preStop: { httpGet: { port: 1, host: "a" } } },
      },
    ],
  },
];

/** The texts of warnings are compared, those of refusals are not: each pod is warned of first. */
const checked = (space: string): Probe["steps"] =>
  specs.map((spec) => post(`/api/v1/namespaces/${space}/pods?dryRun=All`, pod("p", spec)));

const labelled = (space: string, labels: object) => merge(`/api/v1/namespaces/${space}`, { metadata: { labels } });

export const podSecurity: readonly Probe[] = [
  ...["baseline", "restricted"].flatMap((level): Probe[] => [
    {
      name: `pod security warns of ${level}`,
      steps: [
        namespace(`warn-${level}`),
        labelled(`warn-${level}`, { [label("warn")]: level }),
        ...checked(`warn-${level}`),
      ],
    },
    {
      name: `pod security enforces ${level}`,
      steps: [
        namespace(`enforce-${level}`),
        labelled(`enforce-${level}`, { [label("enforce")]: level }),
        ...checked(`enforce-${level}`),
        post(`/apis/apps/v1/namespaces/enforce-${level}/deployments`, {
          metadata: { name: "d" },
          spec: {
            selector: { matchLabels: { a: "b" } },
            template: { metadata: { labels: { a: "b" } }, spec: { containers: [container], hostNetwork: true } },
          },
        }),
      ],
    },
  ]),
  {
    name: "pod security of pods that were there before",
    steps: [
      namespace("secured-later"),
      ...["one", "two", "three"].map((name) =>
        post("/api/v1/namespaces/secured-later/pods", pod(name, { hostNetwork: true })),
      ),
      post("/api/v1/namespaces/secured-later/pods", pod("four", secured({ privileged: true }))),
      post("/api/v1/namespaces/secured-later/pods", pod("five", {})),
      labelled("secured-later", { [label("enforce")]: "baseline" }),
      merge("/api/v1/namespaces/secured-later/pods/one", { metadata: { labels: { a: "b" } } }),
      patch("strategic", "/api/v1/namespaces/secured-later/pods/one", {
        spec: { containers: [{ name: "c", image: "j" }] },
      }),
      patch("strategic", "/api/v1/namespaces/secured-later/pods/five", {
        spec: { containers: [{ name: "c", image: "j" }] },
      }),
      labelled("secured-later", { [label("enforce")]: "restricted" }),
      labelled("secured-later", { [label("enforce-version")]: "v1.30" }),
      labelled("secured-later", { [label("enforce")]: "baseline" }),
      labelled("secured-later", { [label("enforce")]: "privileged" }),
      labelled("secured-later", { [label("enforce")]: "strict" }),
      labelled("secured-later", { [label("warn")]: "strict" }),
    ],
  },
];
