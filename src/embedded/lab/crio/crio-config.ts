import { readToml, tableIn, type TomlTable } from "../../../language/ignition/toml.ts";
import type { Host } from "../../../node/host/host.ts";
import { invalidWorkload, type Workload } from "./workload.ts";

/** What CRI-O has read when it started. */
export interface CrioConfig {
  readonly workloads: ReadonlyMap<string, Workload>;
  /** The CPUs of the containers that hold the namespaces of pods; empty: any. */
  readonly infraCpus: string;
}

export type CrioStart =
  | { readonly type: "started"; readonly config: CrioConfig }
  | { readonly type: "failed"; readonly message: string };

const mainFile = "/etc/crio/crio.conf";
const dropIns = "/etc/crio/crio.conf.d";

/** The main file, and over it those of the drop-in folder in byte order of their names, whatever their extension. */
export async function startCrio(host: Pick<Host, "read" | "list">): Promise<CrioStart> {
  const names = (await host.list(dropIns)).toSorted(byBytes);
  const files: [path: string, text: string][] = [];
  for (const path of [mainFile, ...names.map((name) => `${dropIns}/${name}`)]) {
    const file = await host.read(path);
    if (file.type === "text") files.push([path, file.text]);
  }
  return readConfig(files);
}

/** A later file replaces a table of workloads as a whole. */
export function readConfig(files: readonly (readonly [path: string, text: string])[]): CrioStart {
  const workloads = new Map<string, Workload>();
  let infraCpus = "";
  for (const [path, text] of files) {
    const toml = readToml(text);
    if (toml.type === "problem") return { type: "failed", message: `${path}: ${toml.message}` };
    const runtime = tableIn(tableIn(toml.root.get("crio")).get("runtime"));
    if (runtime.has("infra_ctr_cpuset")) infraCpus = textIn(runtime, "infra_ctr_cpuset");
    for (const [name, table] of tableIn(runtime.get("workloads"))) {
      const workload = workloadOf(tableIn(table));
      const why = invalidWorkload(workload);
      if (why !== undefined) return { type: "failed", message: `${path}: workload ${name}: ${why}` };
      workloads.set(name, workload);
    }
  }
  return { type: "started", config: { workloads, infraCpus } };
}

export function workloadOf(table: TomlTable): Workload {
  const resources = tableIn(table.get("resources"));
  const number = (name: string): number => Number(resources.get(name) ?? 0);
  return {
    activation: textIn(table, "activation_annotation"),
    prefix: textIn(table, "annotation_prefix"),
    defaults: {
      shares: number("cpushares"),
      quota: number("cpuquota"),
      period: number("cpuperiod"),
      cpus: textIn(resources, "cpuset"),
    },
  };
}

function textIn(table: TomlTable, name: string): string {
  const value = table.get(name);
  return typeof value === "string" ? value : "";
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
