import { expect, it } from "vitest";
import { readRefusal, refusalEvent, refusedReason } from "./refusal-event.ts";

const regarding = { apiVersion: "v1", kind: "Pod", metadata: { name: "web-", namespace: "shop" } };
const refused = { regarding, rule: "effect-missing", message: 'pods "web-" is invalid:\n{"a": 1}' };

it.each([false, true])("the event of a refused pod is read back, one of many: %s", (isOneOfMany) => {
  const event = refusalEvent({ ...refused, isOneOfMany });
  expect(event).toMatchObject({ regarding, type: "Warning", reason: refusedReason });
  const { rule, message } = refused;
  expect(readRefusal(event.message)).toEqual({ rule, message, isOneOfMany });
  expect(readRefusal(`(combined from similar events): ${event.message}`)).toEqual({ rule, message, isOneOfMany });
});

it("a message of other programs is not read", () => {
  expect(readRefusal("Back-off: pulling image")).toBeUndefined();
});
