import { expect, test } from "vitest";
import { crioPinning, kubeletPinning } from "./pinning-files.ts";

test.each(["", "0-1", "0,1,2-3,3"])("the set %j is pinned to as it is written", (cpuset) => {
  expect(crioPinning(cpuset)).toBe(
    [
      "",
      "[crio.runtime.workloads.management]",
      'activation_annotation = "target.workload.openshift.io/management"',
      'annotation_prefix = "resources.workload.openshift.io"',
      `resources = { "cpushares" = 0, "cpuset" = "${cpuset}" }`,
      "",
    ].join("\n"),
  );
  expect(kubeletPinning(cpuset)).toBe(`\n{\n  "management": {\n    "cpuset": "${cpuset}"\n  }\n}\n`);
});

test("a text that is not a CPU set cannot inject lines into either file", () => {
  const hostile = '0" }\n[crio.runtime]\nx = "';
  expect(crioPinning(hostile).split("\n")).toHaveLength(6);
  expect(JSON.parse(kubeletPinning(hostile))).toEqual({ management: { cpuset: hostile } });
});
