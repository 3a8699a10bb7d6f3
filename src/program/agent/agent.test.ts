import { expect, test } from "vitest";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { inDetail } from "./agent.ts";

test("details are told while they are wanted, by every part of the agent", () => {
  const told: string[] = [];
  const to =
    (level: string): Log["info"] =>
    (_, message) =>
      void told.push(`${level} ${message}`);
  const log: Log = { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error"), child: () => log };
  let wanted = false;
  const detailed = inDetail(log, () => wanted).child({ part: "x" });
  detailed.debug({}, "a");
  wanted = true;
  detailed.debug({}, "b");
  detailed.warn({}, "c");
  expect(told).toEqual(["debug a", "info b", "warn c"]);
});
