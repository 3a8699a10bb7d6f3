import { describe, expect, it } from "vitest";
import { slowStart } from "./slow-start.ts";

describe("slow start", () => {
  it.each([
    { count: 0, attempted: 0, most: 0 },
    { count: 1, attempted: 1, most: 1 },
    { count: 10, attempted: 10, most: 4 },
  ])("makes $count in batches of at most $most", async ({ count, attempted, most }) => {
    let running = 0;
    let seen = 0;
    const outcome = await slowStart(count, async () => {
      seen = Math.max(seen, ++running);
      await Promise.resolve();
      running--;
    });
    expect({ ...outcome, seen }).toEqual({ attempted, errors: [], seen: most });
  });

  it("stops after the batch in which one fails", async () => {
    const refused = new Error("quota");
    const outcome = await slowStart(100, (index) => (index === 4 ? Promise.reject(refused) : Promise.resolve()));
    expect(outcome).toEqual({ attempted: 7, errors: [refused] });
  });
});
