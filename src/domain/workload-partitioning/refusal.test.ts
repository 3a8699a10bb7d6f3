import { expect, it } from "vitest";
import { type Problem, refused } from "./admission.ts";
import { refusalOf } from "./refusal.ts";

const pods = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true };
const pod = { apiVersion: "v1", kind: "Pod", metadata: { generateName: "a-" } };
const one: Problem = {
  code: "effect-missing",
  status: 422,
  field: "metadata",
  reason: "FieldValueInvalid",
  message: "x",
};

it.each<[[Problem, ...Problem[]], string, number]>([
  [[{ code: "caches-unsynced", status: 403, message: "not yet" }], 'pods "a-" is forbidden: not yet', 403],
  [
    [{ code: "namespace-not-found", status: 404, message: 'namespaces "b" not found' }],
    'namespaces "b" not found',
    404,
  ],
  [[one], 'Pod "a-" is invalid: metadata: x', 422],
  [[one, { ...one, message: "y" }, one], 'Pod "a-" is invalid: [metadata: x, metadata: y]', 422],
])("says %j as the API server does: %s", (problems, message, code) => {
  expect(refusalOf(refused(pod, problems), pods)).toMatchObject({ message, code });
});

it("lists a hundred of ten thousand problems", () => {
  const many = Array.from({ length: 10_000 }, () => one);
  expect(refusalOf(refused(pod, [one, ...many]), pods)?.details.causes).toHaveLength(100);
});
