import { describe, expect, it } from "vitest";
import type { Admission, Review } from "../../src/domain/workload-partitioning/admission.ts";
import { admitMixedCpus } from "../../src/domain/workload-partitioning/mixed-cpus/admit-mixed-cpus.ts";
import { admitNode } from "../../src/domain/workload-partitioning/node/admit-node.ts";
import { admitPod } from "../../src/domain/workload-partitioning/pod/admit-pod.ts";
import { validatePod } from "../../src/domain/workload-partitioning/pod/validate-pod.ts";
import { type ReleaseName, releases } from "../../src/domain/workload-partitioning/release.ts";
import {
  type Expected,
  fixture,
  observed,
  podOf,
  type RecordedCase,
  type RecordedNode,
  reviewOf,
  viewOf,
} from "./cases.ts";
import { differenceOf } from "./differences.ts";

/** Without a recording of its own, the documented release is compared with the current one. */
function expectations(recorded: RecordedCase): [ReleaseName, Expected][] {
  const { current = {} } = recorded.expect;
  return Object.entries({ ...recorded.expect, documented: current }) as [ReleaseName, Expected][];
}

function compare(admission: Admission, before: Review["object"], expected: Expected): void {
  const { fields, ...seen } = observed(admission, before);
  expect(expected.fields ? { ...seen, fields } : seen).toEqual(expected);
}

const files = [
  ["pod-admit-current", admitPod],
  ["pod-admit-edge", admitPod],
  ["pod-admit-version-matrix", admitPod],
  ["pod-validate", validatePod],
] as const;

for (const [file, admit] of files) {
  const cells = fixture<RecordedCase[]>(file).flatMap((recorded) =>
    expectations(recorded).map(([release, expected]) => ({ id: recorded.id, release, expected, recorded })),
  );
  describe(file, () => {
    it.each(cells)("$id in $release", ({ id, release, expected, recorded }) => {
      const pod = podOf(recorded);
      compare(admit(reviewOf(recorded, pod, release)), pod, differenceOf(release, file, id) ?? expected);
    });
  });
}

describe("node-validate", () => {
  const nodes = fixture<RecordedNode[]>("node-validate");
  it.each(
    nodes.flatMap((node) => (["current", "documented"] as const).map((release) => ({ id: node.id, release, node }))),
  )("$id in $release", ({ id, release, node: { cluster, operation, subresource = "", status, expect: expected } }) => {
    const object = { apiVersion: "v1", kind: "Node", metadata: { name: "managed-node" }, spec: {}, status };
    const review = { operation, subresource, object, user: {}, view: viewOf(cluster), release: releases[release] };
    compare(admitNode(review), object, differenceOf(release, "node-validate", id) ?? expected);
  });
});

describe("mixed-cpus-admit", () => {
  interface Mixed extends Omit<RecordedCase, "expect"> {
    readonly expect: Expected;
  }
  it.each(fixture<Mixed[]>("mixed-cpus-admit"))("$id", (recorded) => {
    const pod = podOf(recorded);
    const { added, ...others } = recorded.expect;
    const annotations = added && Object.keys(added).length > 0 ? { annotations: added } : {};
    compare(admitMixedCpus(reviewOf(recorded, pod, "current")), pod, { ...others, ...annotations });
  });
});
