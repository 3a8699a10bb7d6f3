import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { LinkedAbort } from "./linked-abort.ts";

const reason = new Error("enough");

test.each([
  ["before it is linked", (outer: AbortController) => outer.abort(reason), () => {}],
  ["after it is linked", () => {}, (outer: AbortController) => outer.abort(reason)],
])("an outer signal that aborts %s aborts it, with its reason", (_, before, after) => {
  const outer = new AbortController();
  before(outer);
  const abort = new LinkedAbort(outer.signal);
  after(outer);
  expect(abort.aborted).toBe(true);
  expect(abort.signal.reason).toBe(reason);
  expect(() => abort.throwIfAborted()).toThrow(reason);
});

test("its own abort happens once and does not abort the outer signal", () => {
  const outer = new AbortController();
  const abort = new LinkedAbort(outer.signal);
  const { signal } = abort;
  const acts: string[] = [];
  abort.onAbort(() => acts.push("first"));
  abort.onAbort(() => acts.push("second"));
  abort.throwIfAborted();
  abort.abort();
  abort.abort();
  expect({ acts, aborted: signal.aborted, outer: outer.signal.aborted }).toEqual({
    acts: ["second"],
    aborted: true,
    outer: false,
  });
});

test("after unlink the outer signal has no effect and no listener is left", () => {
  const outer = new AbortController();
  const abort = new LinkedAbort(outer.signal);
  abort.unlink();
  outer.abort();
  expect(abort.aborted).toBe(false);
  expect(getEventListeners(outer.signal, "abort")).toEqual([]);
});
