import { expect, test } from "vitest";
import { serialQueue } from "./serial-queue.ts";

test("operations run one after another, also after one has failed", async () => {
  const enqueue = serialQueue();
  const log: string[] = [];
  const operation = (name: string) => async () => {
    log.push(`${name} starts`);
    await Promise.resolve();
    log.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
    return name;
  };
  const results = await Promise.allSettled([enqueue(operation("a")), enqueue(operation("b")), enqueue(operation("c"))]);
  expect(results).toEqual([
    { status: "fulfilled", value: "a" },
    { status: "rejected", reason: new Error("b failed") },
    { status: "fulfilled", value: "c" },
  ]);
  expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
});
