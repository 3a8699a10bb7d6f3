import { expect, it } from "vitest";
import { formatFinding } from "../../finding.ts";
import { configFindings } from "./findings.ts";

const messages = (kind: string, spec: unknown, name = "cluster"): string[] =>
  configFindings({ apiVersion: "scylla.scylladb.com/v1alpha1", kind, metadata: { name }, spec }).map((finding) =>
    formatFinding(finding),
  );

it.each<[string, unknown]>([
  ["no spec", undefined],
  ["null for what is left out", { placement: { nodeSelector: null, tolerations: null, affinity: null } }],
  ["every node", { placement: { nodeSelector: {} } }],
])("a ScyllaNodeConfig with %s has no findings", (_, spec) => {
  expect(messages("ScyllaNodeConfig", spec)).toEqual([]);
});

it("a placement that the API server would refuse in a DaemonSet is found on its ScyllaNodeConfig", () => {
  const terms = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } };
  expect(
    messages("ScyllaNodeConfig", {
      placement: { tolerations: [{ operator: "Equal", value: "x" }], affinity: { nodeAffinity: terms } },
    }),
  ).toEqual([
    expect.stringMatching(/^spec\.placement\.tolerations\[0\]\.operator: /),
    expect.stringMatching(/nodeSelectorTerms: .*must have at least one node selector term/),
  ]);
});

it.each([["scylladb/scylla:2025.1.5"], ["registry.example:5000/scylla:2021.0.0"], ["scylla:2025.1.5@sha256:00"]])(
  "the image %s has no findings",
  (scyllaUtilsImage) => {
    expect(messages("ScyllaOperatorConfig", { scyllaUtilsImage })).toEqual([]);
  },
);

it.each([
  ["scylladb/scylla:4.6.3"],
  ["scylladb/scylla:latest"],
  ["scylladb/scylla"],
  ["registry.example:2025/scylla"],
  ["scylladb/scylla@sha256:00"],
])("the tag of %s says nothing about the write-back cache", (scyllaUtilsImage) => {
  expect(messages("ScyllaOperatorConfig", { scyllaUtilsImage })).toEqual([
    expect.stringContaining("its tag is no version from 2021.0.0 on"),
  ]);
});

it.each([[undefined], [{}], [{ scyllaUtilsImage: "" }]])("a missing image is found: %j", (spec) => {
  expect(messages("ScyllaOperatorConfig", spec)).toEqual([
    expect.stringContaining("without it only the engine native tunes nodes"),
  ]);
});

it("a ScyllaOperatorConfig of another name has no effect", () => {
  expect(messages("ScyllaOperatorConfig", {}, "mine")).toEqual([expect.stringContaining("only cluster is read")]);
});
