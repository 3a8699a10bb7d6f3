import { expect, it } from "vitest";
import { lineOfField } from "./yaml-line.ts";

const text = `# a comment
kind: Tuned
metadata:
  name: x
  labels: { a.b/c: d }
spec:
  recommend:
    - profile: one
    - profile: two
      priority: high
`;

it.each([
  ["metadata.name", 4],
  [`metadata.labels["a.b/c"]`, 5],
  ["spec.recommend", 7],
  ["spec.recommend[0]", 8],
  ["spec.recommend[1].priority", 10],
  ["spec.recommend[1].match[0].label", 9],
  ["spec.recommend[9]", 7],
  ["status", 2],
  ["", 2],
])("%s is set in line %i", (field, line) => {
  expect(lineOfField(text, field)).toBe(line);
});

it("knows lines of JSON", () => {
  expect(lineOfField('{\n"spec": {\n"cpu": 1}}', "spec.cpu")).toBe(3);
});

it("does not look into a text that is deeper than manifests are", () => {
  expect(lineOfField("a: [".repeat(100_000), "spec.cpu")).toBe(1);
});
