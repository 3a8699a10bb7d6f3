import { expect, it } from "vitest";
import { withLines } from "./problem-line.ts";

const tuned = `kind: Tuned
spec:
  recommend:
    - profile: x
      priority: high
`;
const files = [
  { name: "a.yaml", text: tuned },
  { name: "b (1).yaml", text: `# two\n---\n${tuned}---\n${tuned}` },
];

it.each([
  ["a.yaml: line 3: bad indentation", 0, 3],
  ['a.yaml: Tuned.tuned.openshift.io "x" is invalid: spec.recommend[0].priority: Invalid value: "string"', 0, 5],
  ["a.yaml: exceeded max depth of 256", 0, 1],
  ["a.yaml: PerformanceProfile metadata: spec.cpu: Required value", 0, 2],
  ['b (1).yaml, document 1: Tuned "x" is invalid: spec.recommend[0].profile: Invalid value', 1, 6],
  ['b (1).yaml, document 2: Apply failed with 1 conflict: conflict with "kubectl": .spec.recommend', 1, 11],
  ["b (1).yaml, document 2: namespaces is forbidden", 1, 8],
  ["there are no objects in it", undefined, undefined],
])("%s", async (problem, file, line) => {
  expect(await withLines([problem], files)).toEqual([{ text: problem, ...(line === undefined ? {} : { file, line }) }]);
});

it("tells fifty problems and how many more there are", async () => {
  const problems = Array.from({ length: 3000 }, (_, i) => `a.yaml, document ${i + 1}: kind not set`);
  const placed = await withLines(problems, [{ name: "a.yaml", text: "---\nx: 1\n".repeat(3000) }]);
  expect(placed).toHaveLength(51);
  expect(placed[49]).toMatchObject({ file: 0, line: 99 });
  expect(placed[50]).toEqual({ text: "and 2950 more problems" });
});
