import { tuningNamespace } from "../../../../domain/node-tuning/api.ts";
import { defaultRelease } from "../../../../domain/workload-partitioning/release.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { writeYaml } from "../../../../language/object/write-yaml.ts";
import { foundation, type InstallOptions, workloads } from "../manifests.ts";
import { forTarget } from "../target-cluster.ts";
import { chartDescription, notes, type ChartValues, valuesSchema, valuesText } from "./chart-texts.ts";
import { type Placeholder, templateText } from "./template-text.ts";
import { combinations, type Dimension, type Tree, treesOf } from "./variants.ts";

export interface ChartFile {
  /** Relative to the folder of the chart. */
  readonly path: string;
  readonly text: string;
}

const api = (name: string): string => `.Capabilities.APIVersions.Has ${JSON.stringify(name)}`;
const monitoring = [
  '(eq (toString .Values.monitoring) "true")',
  `(and (eq (toString .Values.monitoring) "auto") (${api("monitoring.coreos.com/v1/ServiceMonitor")}))`,
];

/** What decides which objects there are: `attune install` reads it from flags and from the cluster. */
const dimensions = [
  {
    cases: [
      { name: "tuning", condition: 'eq .Values.mode "tuning"' },
      { name: "plain", condition: 'eq .Values.mode "plain"' },
      { name: "standalone", condition: 'eq .Values.mode "standalone"' },
      { name: "auto" },
    ],
  },
  { cases: [{ name: "shipped", condition: 'eq .Values.protocol "shipped"' }, { name: "documented" }] },
  { cases: [{ name: "first boot", condition: ".Values.firstBoot" }, { name: "no first boot" }] },
  { cases: [{ name: "scylla", condition: ".Values.scylla" }, { name: "no scylla" }] },
  { cases: [{ name: "console", condition: ".Values.console" }, { name: "no console" }] },
  { cases: [{ name: "monitoring", condition: `or ${monitoring.join(" ")}` }, { name: "none" }] },
  { cases: [{ name: "OpenShift", condition: api("config.openshift.io/v1/ClusterVersion") }, { name: "other" }] },
  {
    cases: [
      { name: "policies", condition: 'semverCompare ">=1.30-0" .Capabilities.KubeVersion.Version' },
      { name: "older" },
    ],
  },
  {
    cases: [
      { name: "documented rules", condition: `eq .Values.partitioningRelease "${defaultRelease}"` },
      { name: "those of a release" },
    ],
  },
] as const satisfies readonly Dimension[];

const namespace = "attune-chart-namespace";
const placeholders = {
  namespace: { text: namespace, value: ".Release.Namespace" },
  image: { text: "attune-chart-image", value: ".Values.image" },
  mode: { text: "attune-chart-mode", value: ".Values.mode" },
  protocol: { text: "attune-chart-protocol", value: ".Values.protocol" },
  partitioningRelease: { text: "attune-chart-partitioning", value: ".Values.partitioningRelease" },
  firstBoot: { text: "attune-chart-first-boot", value: ".Values.firstBoot" },
  scyllaUtilsImage: { text: "attune-chart-scylla", value: ".Values.scyllaUtilsImage" },
  agentExec: { text: "attune-chart-exec", value: ".Values.agentExec" },
  agentMounts: { text: "attune-chart-mounts", value: ".Values.agentMounts" },
  replicas: { text: 1_234_567_890, value: ".Values.replicas" },
} as const satisfies Record<string, Placeholder>;

/** A Helm chart of what `attune install` prints: the same functions, called with placeholders. */
export function chartFiles(values: ChartValues): ChartFile[] {
  const variants = combinations(dimensions).map((choice) => ({ choice, objects: objectsOf(choice) }));
  const files = new Map<string, string>();
  for (const { id, tree } of treesOf(dimensions, variants)) {
    const [kind = "", name = ""] = id.split("/");
    // Helm creates the namespace of a release itself, or takes one that exists.
    if (kind === "Namespace" && name === namespace) continue;
    const isCrd = kind === "CustomResourceDefinition";
    if (isCrd && tree.type === "leaf" && tree.object) {
      files.set(`crds/${name}.yaml`, writeYaml(tree.object));
      continue;
    }
    const text = templateText(isCrd ? kept(tree) : tree, Object.values(placeholders));
    const path = `templates/${`${kind}-${name}`.toLowerCase().replaceAll(":", "-")}.yaml`;
    files.set(path, `${files.get(path) ?? ""}${name === tuningNamespace ? unlessForeign(text) : text}`);
  }
  return [
    { path: "Chart.yaml", text: writeYaml(chartDescription) },
    { path: "values.yaml", text: valuesText(values) },
    { path: "values.schema.json", text: `${JSON.stringify(valuesSchema, null, 2)}\n` },
    { path: "templates/NOTES.txt", text: notes },
    ...[...files].map(([path, text]) => ({ path, text })),
  ];
}

function objectsOf(choice: readonly string[]): KubeObject[] {
  const [mode, protocol, first, scylla, console, monitoring, cluster, policies, rules] = choice;
  const [replicas, image] = [placeholders.replicas.text, placeholders.image.text];
  const isOpenShift = cluster === "OpenShift";
  const firstBoot = first === "first boot" && mode !== "tuning" ? placeholders.firstBoot.text : undefined;
  const decided = {
    mode,
    protocol,
    firstBoot,
    scylla: scylla === "scylla",
    console: console === "console",
    monitoring: monitoring === "monitoring",
    isOpenShift,
  } as InstallOptions;
  const texts = Object.fromEntries(
    (["mode", "protocol", "partitioningRelease", "scyllaUtilsImage", "agentExec", "agentMounts"] as const).map(
      (name) => [name, placeholders[name].text],
    ),
  );
  const all = [
    ...foundation({
      ...decided,
      namespace,
      partitioningRelease: rules === "documented rules" ? defaultRelease : "current",
    }),
    // These only appear in their arguments.
    ...workloads({ ...decided, ...texts, namespace, image, replicas }),
  ];
  return forTarget(all, { admissionPolicies: policies === "policies", foreign: new Set() }).objects;
}

/** Helm deletes a CRD that was a template, and with it all objects of users, unless told not to. */
function kept(tree: Tree): Tree {
  if (tree.type === "branch") return { ...tree, cases: tree.cases.map((one) => ({ ...one, tree: kept(one.tree) })) };
  if (!tree.object) return tree;
  const { metadata } = tree.object;
  const annotations = { ...metadata.annotations, "helm.sh/resource-policy": "keep" };
  return { ...tree, object: { ...tree.object, metadata: { ...metadata, annotations } } };
}

/** On OpenShift the namespace exists, and Helm refuses to adopt it. One that this release created stays in it. */
function unlessForeign(text: string): string {
  return [
    `{{- $found := lookup "v1" "Namespace" "" ${JSON.stringify(tuningNamespace)} }}`,
    '{{- $owner := dig "metadata" "annotations" "meta.helm.sh/release-name" "" $found }}',
    "{{- if or (empty $found) (eq $owner .Release.Name) }}",
    `${text}{{- end }}\n`,
  ].join("\n");
}
