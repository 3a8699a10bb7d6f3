import { expect, it } from "vitest";
import { type Condition, findCondition, isTrue, setCondition } from "./condition.ts";

const ready: Condition = { type: "Ready", status: "True", reason: "Up", message: "", lastTransitionTime: "t0" };

it.each([
  ["is added with the time", [], { type: "Ready", status: "True", reason: "Up", message: "" }, "t1"],
  ["keeps its time when only the words change", [ready], { ...ready, message: "well" }, "t0"],
  ["takes the new time when the status changes", [ready], { ...ready, status: "False" }, "t1"],
  [
    "takes the time if it had none",
    [{ ...ready, lastTransitionTime: undefined }],
    { ...ready, reason: "Better" },
    "t1",
  ],
] as [string, Condition[], Condition, string][])("a condition %s", (_, conditions, condition, time) => {
  expect(setCondition(conditions, condition, "t1")).toEqual([{ ...condition, lastTransitionTime: time }]);
});

it("returns the same array if nothing changed, and never changes its input", () => {
  const conditions = Object.freeze([Object.freeze({ ...ready }), { ...ready, type: "Other" }]);
  expect(setCondition(conditions, { ...ready }, "t1")).toBe(conditions);
  expect(setCondition(conditions, { ...ready, status: "Unknown" }, "t1")[1]).toBe(conditions[1]);
});

it("is found by its type", () => {
  expect(findCondition([ready], "Ready")).toBe(ready);
  expect(findCondition(undefined, "Ready")).toBeUndefined();
  expect(isTrue([ready], "Ready")).toBe(true);
  expect(isTrue([ready], "Other")).toBe(false);
});
