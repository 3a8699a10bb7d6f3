import type { Probe, Step } from "../probe.ts";
import { get, merge, namespace, post, put, remove, table } from "./wire.ts";

const space = "plain-kinds";
const ingresses = `/apis/networking.k8s.io/v1/namespaces/${space}/ingresses`;
const classes = "/apis/networking.k8s.io/v1/ingressclasses";
const templates = `/api/v1/namespaces/${space}/podtemplates`;
const quotas = `/api/v1/namespaces/${space}/resourcequotas`;
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

const of = (apiVersion: string, kind: string, name: string, content: object): object => ({
  apiVersion,
  kind,
  metadata: { name },
  ...content,
});
const ingress = (name: string, spec: object) => of("networking.k8s.io/v1", "Ingress", name, { spec });
const backend = { service: { name: "web", port: { number: 80 } } };
const path = { path: "/", pathType: "Prefix", backend };
const ruled = (part: object): object => ({ rules: [{ host: "a.b", http: { paths: [{ ...path, ...part }] } }] });

const ingressSpecs: readonly object[] = [
  {},
  { defaultBackend: backend },
  { defaultBackend: {} },
  ruled({}),
  ruled({ pathType: undefined }),
  ruled({ pathType: "Odd" }),
  ruled({ path: "x" }),
  ruled({ path: "", pathType: "ImplementationSpecific" }),
  ruled({ backend: { service: { name: "web" } } }),
  ruled({ backend: { service: { name: "web", port: { number: 1 } }, resource: { kind: "K", name: "n" } } }),
  { ingressClassName: "c", defaultBackend: backend, tls: [{ hosts: ["a.b"], secretName: "s" }] },
];

const ingressProbe: Probe = {
  name: "ingresses and their classes",
  steps: [
    namespace(space),
    ...ingressSpecs.map((spec, index): Step => post(ingresses, ingress(`i${index}`, spec))),
    get(ingresses, { accept: table }),
    merge(`${ingresses}/i1`, { spec: { rules: [{ host: "c.d" }] } }),
    get(`${ingresses}/i1`),
    remove(`${ingresses}/i1`),
    post(classes, of("networking.k8s.io/v1", "IngressClass", "none", {})),
    post(classes, of("networking.k8s.io/v1", "IngressClass", "c", { spec: { controller: "a.b/c" } })),
    merge(`${classes}/c`, { spec: { controller: "other.b/c" } }),
    get(classes, { accept: table }),
    remove(`${classes}/c`),
  ],
};

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };

const templateProbe: Probe = {
  name: "pod templates",
  steps: [
    namespace(`${space}-t`),
    ...[{ template }, {}, { template: { spec: { containers: [] } } }].map((content, index) =>
      post(templates.replace(space, `${space}-t`), of("v1", "PodTemplate", `t${index}`, content)),
    ),
    get(templates.replace(space, `${space}-t`), { accept: table }),
    merge(`${templates.replace(space, `${space}-t`)}/t0`, { template: { metadata: { labels: { c: "d" } } } }),
    remove(`${templates.replace(space, `${space}-t`)}/t0`),
  ],
};

const quotaProbe: Probe = {
  name: "resource quotas",
  steps: [
    namespace(`${space}-q`),
    ...[
      { hard: { pods: "5", cpu: "0.5", "requests.example.com/dongle": "3" } },
      { hard: { pods: "-1" } },
      {},
      { hard: { pods: "1" }, scopes: ["BestEffort"] },
      { hard: { pods: "1" }, scopes: ["Odd"] },
    ].map((spec, index) => post(quotas.replace(space, `${space}-q`), of("v1", "ResourceQuota", `q${index}`, { spec }))),
    get(quotas.replace(space, `${space}-q`), { accept: table }),
    merge(`${quotas.replace(space, `${space}-q`)}/q3`, { spec: { scopes: ["NotBestEffort"] } }),
    merge(`${quotas.replace(space, `${space}-q`)}/q0/status`, { status: { hard: { pods: "2" }, used: { pods: "1" } } }),
    get(quotas.replace(space, `${space}-q`), { accept: table }),
    remove(`${quotas.replace(space, `${space}-q`)}/q0`),
  ],
};

const signing = { request: "bm9uZQ==", signerName: "a.example/b", usages: ["client auth"] };

const requestProbe: Probe = {
  name: "certificate signing requests",
  steps: [
    post(requests, of("certificates.k8s.io/v1", "CertificateSigningRequest", "nothing", { spec: {} })),
    get(`${requests}/nothing`),
    put(`${requests}/none`, of("certificates.k8s.io/v1", "CertificateSigningRequest", "none", { spec: signing })),
  ],
};

export const plainKinds: readonly Probe[] = [ingressProbe, templateProbe, quotaProbe, requestProbe];
