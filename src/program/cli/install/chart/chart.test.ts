import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { readYaml } from "../../../../language/object/yaml.ts";
import { tuningNamespace } from "../../../../domain/node-tuning/api.ts";
import { type InstallOptions, installManifests } from "../manifests.ts";
import { forTarget } from "../target-cluster.ts";
import { chartFiles } from "./chart.ts";
import { valuesSchema } from "./chart-texts.ts";
import { rendered, type TemplateData } from "./testing/template.ts";
import { idOf } from "./variants.ts";

const defaults = {
  image: "attune:1",
  mode: "auto",
  protocol: "documented",
  partitioningRelease: "documented",
  agentExec: "allow",
  agentMounts: "follow",
  firstBoot: "",
  scylla: false,
  scyllaUtilsImage: "scylladb/scylla:2025.1.5",
  console: false,
  replicas: 2,
  monitoring: false,
} as const;
const files = chartFiles(defaults);
const textOf = (path: string): string => files.find((file) => file.path === path)!.text;
const crds = files.filter(({ path }) => path.startsWith("crds/")).map(({ text }) => readYaml(text) as KubeObject);
const values = readYaml(textOf("values.yaml")) as Record<string, unknown>;

interface Cluster {
  readonly minor: number;
  readonly apis: readonly string[];
  readonly objects: Readonly<Record<string, object>>;
}
const kubernetes: Cluster = { minor: 35, apis: [], objects: {} };
const openShift = "config.openshift.io/v1/ClusterVersion";
const prometheus = "monitoring.coreos.com/v1/ServiceMonitor";

/** What `helm install` creates: objects by id. */
function installed(given: Record<string, unknown>, namespace: string, cluster: Cluster): Map<string, KubeObject> {
  const data: TemplateData = {
    Values: { ...values, ...given },
    Release: { Name: "tuning", Namespace: namespace },
    Capabilities: {
      KubeVersion: { Version: `v1.${cluster.minor}.1` },
      APIVersions: { Has: (name) => cluster.apis.includes(name) },
    },
    objects: cluster.objects,
  };
  const texts = files
    .filter(({ path }) => /^templates\/.*\.yaml$/.test(path))
    .flatMap(({ text }) => rendered(text, data).split(/^---$/m))
    .filter((text) => text.trim() !== "");
  return byId([...crds, ...texts.map((text) => withoutPolicy(readYaml(text) as KubeObject))]);
}

function withoutPolicy(object: KubeObject): KubeObject {
  const { "helm.sh/resource-policy": kept, ...annotations } = object.metadata.annotations ?? {};
  if (kept === undefined) return object;
  expect([object.kind, kept, annotations]).toEqual(["CustomResourceDefinition", "keep", {}]);
  const { annotations: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function byId(objects: readonly KubeObject[]): Map<string, KubeObject> {
  const plain = JSON.parse(JSON.stringify(objects)) as KubeObject[];
  expect(new Set(plain.map(idOf)).size).toBe(plain.length);
  return new Map(plain.map((object) => [idOf(object), object]));
}

/** What `attune install` applies to such a cluster, without the namespace of the release. */
function manifests(options: InstallOptions, { minor }: Cluster): Map<string, KubeObject> {
  const target = { admissionPolicies: minor >= 30, foreign: new Set([`Namespace ${options.namespace}`]) };
  return byId(forTarget(installManifests({ ...defaults, ...options }), target).objects);
}

describe("a chart", () => {
  const sets: [string, Record<string, unknown>, InstallOptions, Cluster][] = [
    ["defaults", {}, {}, kubernetes],
    ["an image by digest", { image: "r/attune@sha256:0" }, { image: "r/attune@sha256:0" }, kubernetes],
    [
      "tuning alone, one replica, no programs",
      { mode: "tuning", replicas: 1, agentExec: "none", agentMounts: "fixed" },
      { mode: "tuning", replicas: 1, agentExec: "none", agentMounts: "fixed" },
      kubernetes,
    ],
    ["machine configuration", { mode: "standalone" }, { mode: "standalone" }, kubernetes],
    [
      "first boots",
      { mode: "plain", firstBoot: "https://10.0.0.1:30623" },
      { mode: "plain", firstBoot: "https://10.0.0.1:30623" },
      kubernetes,
    ],
    [
      "no first boots without pools",
      { mode: "tuning", firstBoot: "https://10.0.0.1:30623" },
      { mode: "tuning" },
      kubernetes,
    ],
    [
      "nodes of Scylla databases",
      { scylla: true, scyllaUtilsImage: "r/scylla:2025.3.1", monitoring: true },
      { scylla: true, scyllaUtilsImage: "r/scylla:2025.3.1", monitoring: true },
      kubernetes,
    ],
    ["the console", { console: true }, { console: true }, kubernetes],
    ["monitoring, asked for", { monitoring: true }, { monitoring: true }, kubernetes],
    ["monitoring, where there is Prometheus", {}, { monitoring: true }, { ...kubernetes, apis: [prometheus] }],
    ["no monitoring", { monitoring: false }, {}, { ...kubernetes, apis: [prometheus] }],
    [
      "OpenShift with the shipped protocol",
      { protocol: "shipped", agentExec: "builtin", partitioningRelease: "4.16" },
      { protocol: "shipped", agentExec: "builtin", partitioningRelease: "4.16", monitoring: true, isOpenShift: true },
      { ...kubernetes, apis: [openShift, prometheus] },
    ],
    [
      "a Kubernetes without admission policies",
      { mode: "plain", protocol: "shipped", monitoring: true },
      { mode: "plain", protocol: "shipped", monitoring: true },
      { ...kubernetes, minor: 29 },
    ],
  ];
  it.each(sets)("has the objects of attune install: %s", (_, given, options, cluster) => {
    for (const namespace of ["attune-system", "1e3"])
      expect(installed(given, namespace, cluster)).toEqual(manifests({ ...options, namespace }, cluster));
  });

  it("leaves a namespace of another owner alone, and keeps its own at an upgrade", () => {
    const found = (annotations?: object): boolean => {
      const namespace = { metadata: { name: tuningNamespace, annotations } };
      const objects = { [`Namespace ${tuningNamespace}`]: namespace };
      return installed({}, "attune-system", { ...kubernetes, objects }).has(`Namespace/${tuningNamespace}/`);
    };
    expect(found()).toBe(false);
    expect(found({ "meta.helm.sh/release-name": "other" })).toBe(false);
    expect(found({ "meta.helm.sh/release-name": "tuning" })).toBe(true);
  });

  it("takes the flags of install as the defaults of its values, and its schema allows just these values", () => {
    expect(values).toEqual({ ...defaults, monitoring: "auto" });
    const flags = { ...defaults, mode: "plain", monitoring: true, replicas: 3 } as const;
    const other = chartFiles(flags).find(({ path }) => path === "values.yaml")!.text;
    expect(readYaml(other)).toEqual(flags);
    const { properties, required } = valuesSchema;
    expect(
      Object.keys(properties)
        .filter((name) => name !== "global")
        .toSorted(),
    ).toEqual(Object.keys(values).toSorted());
    expect(required.toSorted()).toEqual(Object.keys(values).toSorted());
    for (const [name, property] of Object.entries(properties))
      if ("enum" in property) expect(property.enum).toContain(values[name]);
  });

  it("tells what an older Kubernetes lacks", () => {
    const note = (minor: number): string =>
      rendered(textOf("templates/NOTES.txt"), {
        Values: values,
        Release: { Name: "tuning", Namespace: "ns" },
        Capabilities: { KubeVersion: { Version: `v1.${minor}.0` }, APIVersions: { Has: () => false } },
        objects: {},
      });
    expect(note(35)).toMatch(/^Attune runs in namespace ns, mode auto\./);
    expect(note(35)).not.toContain("ValidatingAdmissionPolicy");
    expect(note(29)).toContain("ValidatingAdmissionPolicy");
  });
});
