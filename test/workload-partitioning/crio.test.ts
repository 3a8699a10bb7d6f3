import { describe, expect, it } from "vitest";
import { readConfig, workloadOf } from "../../src/embedded/lab/crio/crio-config.ts";
import {
  activeWorkload,
  invalidWorkload,
  noResources,
  resourcesOf,
  type Workload,
} from "../../src/embedded/lab/crio/workload.ts";
import { fixture } from "./cases.ts";

interface Table {
  activation_annotation: string;
  annotation_prefix: string;
  resources: Record<string, string | number>;
}

interface Cases {
  tables: (Table & { id: string; valid: boolean })[];
  containers: {
    id: string;
    workload?: Table;
    resources?: Table["resources"];
    container?: string;
    annotations?: Record<string, string>;
    expect: { error?: true; cpus: string | null; shares: number | null; quota: number | null; period: number | null };
  }[];
}

const { tables, containers } = fixture<Cases>("crio-workloads");

function workload({ activation_annotation: activation, annotation_prefix: prefix, resources }: Table): Workload {
  return workloadOf(
    new Map<string, string | Map<string, string | number>>([
      ["activation_annotation", activation],
      ["annotation_prefix", prefix],
      ["resources", new Map(Object.entries(resources))],
    ]),
  );
}

describe("recorded tables of workloads", () => {
  it.each(tables)("$id is valid: $valid", ({ valid, ...table }) => {
    expect(invalidWorkload(workload(table)) === undefined).toBe(valid);
  });
});

describe("recorded containers", () => {
  const target = "target.workload.openshift.io/management";

  it.each(containers)("$id", (recorded) => {
    const { annotations = { [target]: "" }, container = "any", expect: expected } = recorded;
    const table = recorded.workload ?? {
      activation_annotation: target,
      annotation_prefix: "resources.workload.openshift.io",
      resources: recorded.resources ?? {},
    };
    const active = activeWorkload([workload(table)], annotations);
    const made = active
      ? resourcesOf(active, container, annotations)
      : { type: "resources" as const, resources: noResources };
    if (expected.error) return expect(made.type).toBe("error");
    if (made.type === "error") throw new Error(made.message);
    const { cpus, shares, quota, period } = expected;
    expect(made.resources).toEqual({ cpus: cpus ?? "", shares: shares ?? 0, quota: quota ?? 0, period: period ?? 0 });
  });

  it.each([
    "[]",
    "1",
    '{"cpushares":-1}',
    '{"cpushares":1.5}',
    '{"cpushares":"2"}',
    '{"cpuset":3}',
    '{"cpulimit":true}',
  ])("an annotation %s of another type is an error too", (text) => {
    const one: Workload = { activation: target, prefix: "resources.workload.openshift.io", defaults: noResources };
    expect(resourcesOf(one, "a", { "resources.workload.openshift.io/a": text }).type).toBe("error");
  });
});

describe("the files of CRI-O", () => {
  const table = (cpuset: string): string =>
    `[crio.runtime.workloads.management]\nactivation_annotation = "t"\nannotation_prefix = "r"\nresources = { "cpushares" = 0, "cpuset" = "${cpuset}" }\n`;

  it("replace a table of an earlier one as a whole", () => {
    const first = table("0-1").replace("0,", '7, "cpuquota" = 70,');
    const read = readConfig([
      ["01", first],
      ["99", table("2")],
    ]);
    expect(read.type === "started" && read.config.workloads.get("management")?.defaults).toEqual({
      ...noResources,
      cpus: "2",
    });
  });

  it("name the CPUs of infrastructure containers", () => {
    const read = readConfig([["99-runtimes.conf", '[crio.runtime]\ninfra_ctr_cpuset = "0-3"\n']]);
    expect(read.type === "started" && read.config.infraCpus).toBe("0-3");
  });

  it.each([
    ["a table that CRI-O refuses", table("-20"), 'f: workload management: cpuset "-20" is not a list of CPUs'],
    ["no TOML", "[crio", "f: line 1 is not TOML: expected ]"],
  ])("keep CRI-O from starting with %s", (_, text, message) => {
    expect(readConfig([["f", text]])).toEqual({ type: "failed", message });
  });
});
