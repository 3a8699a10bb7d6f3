import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GatheredBytes } from "./gathered-bytes.ts";
import { collectGarbage } from "./testing/collect-garbage.ts";

describe("gathered bytes", () => {
  it("are those of the pieces, in their order", () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3000, size: "max" }).map((bytes) => Buffer.from(bytes)));
    fc.assert(
      fc.property(pieces, (all) => {
        const bytes = new GatheredBytes();
        for (const piece of all) bytes.add(piece);
        expect(bytes.joined().equals(Buffer.concat(all))).toBe(true);
        bytes.clear();
        bytes.add(Buffer.from("again"));
        expect(bytes.joined().toString()).toBe("again");
      }),
    );
  });

  it("take little more memory than they are, in pieces of one byte too", () => {
    const held = (): number => (collectGarbage(), process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers);
    const before = held();
    const bytes = new GatheredBytes();
    for (let i = 0; i < 1_000_000; i++) bytes.add(Buffer.from([i & 255]));
    expect(held() - before).toBeLessThan(4_000_000);
    expect(bytes.joined().length).toBe(1_000_000);
  });
});
