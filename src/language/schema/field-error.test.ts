import { expect, test } from "vitest";
import { invalid } from "./field-error.ts";

test("an error repeats its value, and cuts one that is longer than anyone reads", () => {
  expect(invalid("a", ["x"], "wrong").message).toBe('Invalid value: ["x"]: wrong');
  const { message } = invalid("a", "x".repeat(3_000_000), "wrong");
  expect(message.length).toBeLessThan(66_000);
  expect(message).toMatch(/x… \(3000002 characters\): wrong$/);
});
