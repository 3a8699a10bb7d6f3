import { expect, test } from "vitest";
import type { Client } from "../../cluster/kube/client.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { MemoryBase } from "../../node/host/memory-base.ts";
import { MemoryHost } from "../../node/host/memory-host.ts";
import { runAgent, withVerbosity } from "./agent.ts";

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

test("an agent with another name than the node's changes nothing, and says so", async () => {
  const record = { node: "a", bootId: "b", spec: { config: { tunedProfile: "p" }, profile: [] }, bootcmdline: "" };
  const path = "/var/lib/attune/tuning.json";
  const host = new MemoryHost(new MemoryBase([[path, JSON.stringify({ version: 1, ...record, complete: true })]]));
  const agent = runAgent({ client: {} as Client, node: "typo", host, signal: new AbortController().signal });
  await expect(agent).rejects.toThrow(`this node was tuned as Node "a" (${path}), not as "typo"`);
  expect(host.changes().size).toBe(0);
});
