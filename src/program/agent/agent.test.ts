import { expect, test } from "vitest";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { withVerbosity } from "./agent.ts";

test("debug messages are logged as info while the agent is verbose, by every part of it", () => {
  const logged: string[] = [];
  const to =
    (level: string): Log["info"] =>
    (_, message) =>
      void logged.push(`${level} ${message}`);
  const log: Log = { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error"), child: () => log };
  let verbose = false;
  const detailed = withVerbosity(log, () => verbose).child({ part: "x" });
  detailed.debug({}, "a");
  verbose = true;
  detailed.debug({}, "b");
  detailed.warn({}, "c");
  expect(logged).toEqual(["debug a", "info b", "warn c"]);
});
