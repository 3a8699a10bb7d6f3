import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { writeYaml } from "../../src/language/object/write-yaml.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import type { ConfigMap } from "../../src/domain/hosted/envelope/read-manifests.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";
import type { Json } from "../../src/language/object/json.ts";

const folder = join(import.meta.dirname, "../..");

/** Fixtures abbreviate names that are long and frequent. */
const abbreviations: readonly (readonly [string, string])[] = [
  ["<H>", "hypershift.openshift.io/"],
  ["<T>", "tuned.openshift.io/"],
  ["<M>", "machineconfiguration.openshift.io/"],
  ["<P>", "performance.operator.openshift.io/"],
  ["<NS>", tuningNamespace],
];

function expand(text: string): string {
  return abbreviations.reduce((expanded, [short, long]) => expanded.replaceAll(short, long), text);
}

export interface RecordedCase<Expectation> {
  readonly id: string;
  readonly nodes?: readonly { readonly name: string; readonly labels?: Record<string, string> }[];
  readonly objects: readonly RecordedObject[];
  readonly steps: readonly RecordedStep<Expectation>[];
  readonly timingDependent?: boolean;
  /** Of the CRD. */
  readonly rejected?: boolean;
  readonly hostedCluster?: { readonly spec?: object };
}

export interface RecordedStep<Expectation> {
  readonly change?: readonly RecordedChange[];
  readonly expect?: Expectation;
  readonly full?: string;
  readonly withoutVersion?: string;
}

export interface RecordedObject {
  readonly configMap?: RecordedConfigMap;
  readonly nodePool?: { readonly name: string; readonly spec?: object };
  readonly object?: KubeObject;
}

export interface RecordedConfigMap {
  readonly name: string;
  /** In the namespace of the NodePool, not of the control plane. */
  readonly user?: boolean;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly data: Record<string, RecordedText>;
  readonly immutable?: boolean;
}

export type RecordedText = string | readonly object[];

export interface RecordedChange {
  readonly create?: RecordedObject;
  /** `Kind/name` */
  readonly patch?: string;
  readonly merge?: Record<string, unknown>;
  readonly delete?: string;
  readonly user?: boolean;
  readonly nodeSide?: readonly NodeReport[];
  readonly operator?: "stop" | "start" | "restart";
  readonly operandReady?: boolean;
  /** The API server does not answer, and answers again. */
  readonly freeze?: "management" | "hosted";
  readonly unfreeze?: "management" | "hosted";
}

export interface NodeReport {
  readonly node: string;
  readonly status?: {
    readonly applied: string;
    readonly degraded?: string | { readonly status: string };
    readonly tunedProfile?: string;
  };
  readonly bootcmdline?: string;
  readonly deps?: string;
}

/** The recorded cases of one file of `test/fixtures/hosted`. */
export function casesOf<Case>(file: string): Case[] {
  return parse(expand(readFileSync(join(folder, "test/fixtures/hosted", `${file}.yaml`), "utf8"))) as Case[];
}

/** The text of a value in a ConfigMap: manifests that occur often are abbreviated. */
export function textOf(recorded: RecordedText): string {
  if (typeof recorded === "string") return recorded;
  return recorded.map((manifest) => writeYaml(manifestOf(manifest as Abbreviated))).join("---\n");
}

interface Abbreviated {
  readonly tuned?: string;
  readonly priority?: number;
  readonly match?: string;
  readonly namespace?: string;
  readonly profile?: string;
  readonly isolated?: string;
  readonly reserved?: string;
  readonly machineConfig?: string;
  readonly kubeletConfig?: string;
  readonly kernelArguments?: readonly string[];
  readonly labels?: object;
  readonly annotations?: object;
  readonly status?: object;
}

function manifestOf(manifest: Abbreviated): object {
  const { tuned, profile, machineConfig, kubeletConfig, labels, annotations, kernelArguments } = manifest;
  const { isolated = "1-3", reserved = "0" } = manifest;
  const machine = { apiVersion: "machineconfiguration.openshift.io/v1" };
  if (manifest.status !== undefined && !("kind" in manifest)) return manifest.status;
  if (tuned !== undefined) return tunedOf(tuned, manifest);
  if (profile !== undefined)
    return {
      apiVersion: "performance.openshift.io/v2",
      kind: "PerformanceProfile",
      metadata: { name: profile },
      spec: { cpu: { isolated, reserved }, nodeSelector: { "node-role.kubernetes.io/worker-cnf": "" } },
    };
  if (kubeletConfig !== undefined)
    return {
      ...machine,
      kind: "KubeletConfig",
      metadata: { name: kubeletConfig },
      spec: { kubeletConfig: { maxPods: 100 } },
    };
  if (machineConfig === undefined) return manifest;
  const files = [{ path: `/etc/${machineConfig}`, contents: { source: "data:,x" }, mode: 420 }];
  return {
    ...machine,
    kind: "MachineConfig",
    metadata: { name: machineConfig, labels, annotations },
    spec: { config: { ignition: { version: "3.2.0" }, storage: { files } }, kernelArguments },
  };
}

function tunedOf(tuned: string, { priority, match, namespace = tuningNamespace }: Abbreviated): object {
  const name = `${tuned}-profile`;
  // Nodes report boot arguments that the recorded texts do not have. Attune refuses those, unless a program may print them.
  const boot = "[bootloader]\ncmdline_node=${f:exec:print-arguments}\n";
  const data = `[main]\nsummary=${name}\ninclude=openshift-node\n[sysctl]\nvm.dirty_ratio=55\n${boot}`;
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Tuned",
    metadata: { name: tuned, namespace },
    spec: {
      profile: [{ name, data }],
      recommend: [{ priority, profile: name, match: match === undefined ? undefined : [{ label: match }] }],
    },
  };
}

export function configMapOf({
  name,
  labels,
  annotations,
  data,
  immutable,
  user = false,
}: RecordedConfigMap): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      namespace: user ? "clusters" : "clusters-demo",
      uid: `uid-${name}`,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, textOf(text)])),
    ...(immutable ? { immutable } : {}),
  };
}

/** A merge patch, of what is recorded. */
export function patchOf(merge: Record<string, unknown>): Record<string, unknown> {
  const { data } = merge;
  const texts = Object.entries((data ?? {}) as Record<string, RecordedText | null>).map(([key, text]) => [
    key,
    text === null ? null : textOf(text),
  ]);
  return data ? { ...merge, data: Object.fromEntries(texts) as object } : merge;
}

/** A merge patch as it is recorded, applied to an object. */
export function patched<T extends object>(object: T, merge: Record<string, unknown>): T {
  return applyMergePatch(object as Json, patchOf(merge) as Json) as T;
}
