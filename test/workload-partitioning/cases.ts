import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Admission, Review } from "../../src/domain/workload-partitioning/admission.ts";
import { partitioningStatus } from "../../src/domain/workload-partitioning/identifier.ts";
import { type ReleaseName, releases } from "../../src/domain/workload-partitioning/release.ts";
import type { PartitioningView } from "../../src/domain/workload-partitioning/view.ts";
import { warningAnnotation } from "../../src/domain/workload-partitioning/names.ts";
import type { Resources } from "../../src/language/cpu/qos-class.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";

/** Fixtures abbreviate names that are long and frequent. */
const abbreviations: readonly (readonly [string, string])[] = [
  ["<T>", "target.workload.openshift.io/"],
  ["<R>", "resources.workload.openshift.io/"],
  ["<CORES>", "management.workload.openshift.io/cores"],
  ["<SHARED>", "workload.openshift.io/enable-shared-cpus"],
];

/** One file of `test/fixtures/workload-partitioning`. */
export function fixture<Content>(file: string): Content {
  const path = join(import.meta.dirname, "../fixtures/workload-partitioning", `${file}.yaml`);
  const text = readFileSync(path, "utf8");
  return parse(abbreviations.reduce((full, [short, long]) => full.replaceAll(short, long), text)) as Content;
}

interface PodContent {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly initContainers?: Readonly<Record<string, Resources>>;
  readonly containers?: Readonly<Record<string, Resources>>;
}

export interface RecordedCluster {
  /** The status; null if there is no such object. */
  readonly infrastructure?: object | null;
  readonly namespace?: { readonly annotations: Readonly<Record<string, string>> } | { readonly error: string };
  /** What is allocatable on each. */
  readonly nodes?: readonly Readonly<Record<string, string>>[];
  readonly cachesSynced?: boolean;
}

/** Parts of the pod that are not listed are as they were. */
export interface Expected extends PodContent {
  readonly refused?: number;
  readonly codes?: readonly string[];
  readonly fields?: readonly string[];
  readonly added?: Readonly<Record<string, string>>;
}

export interface RecordedCase extends PodContent {
  readonly id: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly cluster: RecordedCluster;
  readonly expect: Readonly<Record<string, Expected>>;
}

export interface RecordedNode {
  readonly id: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly status: object;
  readonly cluster: RecordedCluster;
  readonly expect: Expected;
}

export function podOf({ annotations, initContainers, containers = {} }: PodContent): KubeObject {
  const list = (some: Readonly<Record<string, Resources>>): object[] =>
    Object.entries(some).map(([name, resources]) => ({ name, resources }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "test", namespace: "some", ...(annotations ? { annotations: { ...annotations } } : {}) },
    spec: { ...(initContainers ? { initContainers: list(initContainers) } : {}), containers: list(containers) },
  };
}

export function viewOf({
  infrastructure,
  namespace,
  nodes = [],
  cachesSynced = true,
}: RecordedCluster): PartitioningView {
  const identifier = { apiVersion: "config.openshift.io/v1", kind: "Infrastructure", metadata: {} };
  const name = "some";
  return {
    ready: cachesSynced,
    identifier: partitioningStatus(
      infrastructure ? { ...identifier, status: infrastructure } : infrastructure === null ? undefined : identifier,
    ),
    coresFrom: "kubelet",
    nodes: nodes.map((allocatable, index) => ({ name: `node-${index}`, capacity: allocatable, allocatable })),
    namespace: !namespace
      ? { type: "missing", name }
      : "error" in namespace
        ? { type: "failed", name, reason: namespace.error }
        : { type: "found", name, annotations: namespace.annotations },
  };
}

export function reviewOf(
  recorded: Omit<RecordedCase, "expect" | "id">,
  object: KubeObject,
  release: ReleaseName,
): Review {
  const { operation = "CREATE", subresource = "" } = recorded;
  return { operation, subresource, object, user: {}, view: viewOf(recorded.cluster), release: releases[release] };
}

/** The answer in the form of an expectation. */
export function observed({ type, object, rule, problems }: Admission, before: KubeObject): Expected {
  if (type === "refused") {
    const [first] = problems;
    const fields = problems.flatMap(({ field }) => (field === undefined ? [] : [field]));
    return { refused: first?.status ?? 0, codes: problems.map(({ code }) => code), fields };
  }
  const [was, is] = [contentOf(before), contentOf(object)];
  const warning = is.annotations?.[warningAnnotation];
  const told = warning === undefined ? {} : { [warningAnnotation]: { warningCode: rule } as unknown as string };
  const after = { ...is, annotations: { ...is.annotations, ...told } };
  const parts = ["annotations", "initContainers", "containers"] as const;
  return Object.fromEntries(
    parts
      .filter((part) => JSON.stringify(was[part] ?? {}) !== JSON.stringify(after[part] ?? {}))
      .map((part) => [part, after[part]]),
  );
}

function contentOf({ metadata, spec }: KubeObject): PodContent {
  const { initContainers = [], containers = [] } = spec as Record<string, { name: string; resources: Resources }[]>;
  const byName = (list: { name: string; resources: Resources }[]): Record<string, Resources> =>
    Object.fromEntries(list.map(({ name, resources }) => [name, resources]));
  return {
    annotations: metadata.annotations ?? {},
    initContainers: byName(initContainers),
    containers: byName(containers),
  };
}
