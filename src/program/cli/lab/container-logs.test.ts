import { expect, test } from "vitest";
import { createLog } from "../../../cluster/runtime/log/log.ts";
import { containerLogs } from "./container-logs.ts";

test("a program in a container logs as on a real node, each into its own log, and into that of the lab", async () => {
  const lab: string[] = [];
  const destination = { write: (line: string) => lab.push(line) };
  const logOf = containerLogs(await createLog({ name: "lab", level: "warn", destination, pretty: false }));
  const lines: Record<string, string[]> = { a: [], b: [] };
  const logs = await Promise.all(
    ["a", "b"].map((node) => logOf({ args: ["agent"], node, write: (line) => void lines[node]?.push(line) })),
  );
  logs[0]?.info({ profile: "p" }, "profile applied");
  logs[1]?.child({ controller: "tune" }).warn({}, "another process changed a setting");
  logs[0]?.debug({}, "not logged");
  const parsed = (of: readonly string[] | undefined): unknown[] =>
    (of ?? []).map((line) => ({ ...(JSON.parse(line) as object), time: "" }));
  expect(parsed(lines["a"])).toEqual([
    { level: "info", time: "", name: "agent", profile: "p", message: "profile applied" },
  ]);
  const changed = { level: "warn", time: "", controller: "tune", message: "another process changed a setting" };
  expect(parsed(lines["b"])).toEqual([{ ...changed, name: "agent" }]);
  expect(parsed(lab)).toEqual([{ ...changed, name: "lab", part: "agent", node: "b" }]);
});
