import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../test/node-tuning/eventually.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { profileKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { startSystem, workedNodes } from "./system.ts";

test.each(["standalone", "plain"] as const)("the parts of a %s system need no right that they lack", async (mode) => {
  const dir = await mkdtemp(join(tmpdir(), "attune-up-"));
  const stop = new AbortController();
  const { signal } = stop;
  const logged: string[] = [];
  const write = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: () => {}, info: () => {}, warn: write, error: write, child: () => log };
  const { admin, stopped } = await startSystem({ dir, port: 0, machines: workedNodes(1, mode), mode, signal, log });
  onTestFinished(async () => {
    stop.abort();
    await stopped;
    await rm(dir, { recursive: true, force: true });
  });
  await eventually("applied", async () => {
    const { status } = await admin.get(profileKind, "node-1", { namespace: tuningNamespace });
    return status?.conditions?.some(({ type, status }) => type === "Applied" && status === "True");
  });
  expect(logged).toEqual([]);
});
