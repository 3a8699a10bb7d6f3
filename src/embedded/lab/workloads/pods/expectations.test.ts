import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../cluster/runtime/testing/virtual-clock.ts";
import { Expectations } from "./expectations.ts";

describe("expectations", () => {
  it("are met when there are none", () => {
    expect(new Expectations(new VirtualClock()).met("a/b")).toBe(true);
  });

  it("wait for every creation", () => {
    const expectations = new Expectations(new VirtualClock());
    expectations.expectCreations("a/b", 2);
    expectations.creationObserved("a/b");
    expect(expectations.met("a/b")).toBe(false);
    expect(expectations.met("a/other")).toBe(true);
    expectations.creationObserved("a/b");
    expect(expectations.met("a/b")).toBe(true);
  });

  it("count a deletion once, however often it is observed", () => {
    const expectations = new Expectations(new VirtualClock());
    expectations.expectDeletions("a/b", ["1", "2"]);
    expectations.deletionObserved("a/b", "1");
    expectations.deletionObserved("a/b", "1");
    expect(expectations.met("a/b")).toBe(false);
    expect([...expectations.deletions("a/b")]).toEqual(["2"]);
    expectations.deletionObserved("a/b", "2");
    expect(expectations.met("a/b")).toBe(true);
  });

  it("ignore creations from before", () => {
    const expectations = new Expectations(new VirtualClock());
    expectations.creationObserved("a/b");
    expectations.expectCreations("a/b", 1);
    expect(expectations.met("a/b")).toBe(false);
  });

  it("are given up after five minutes", async () => {
    const clock = new VirtualClock();
    const expectations = new Expectations(clock);
    expectations.expectCreations("a/b", 1);
    await clock.advance(299_999);
    expect(expectations.waitMs("a/b")).toBe(1);
    await clock.advance(1);
    expect(expectations.met("a/b")).toBe(true);
  });
});
