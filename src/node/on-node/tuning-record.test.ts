import { describe, expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { loadRecord, recordPath, removeRecord, saveRecord, type TuningRecord } from "./tuning-record.ts";

const record: TuningRecord = {
  bootId: "b",
  spec: { config: { tunedProfile: "p" }, profile: [{ name: "p", data: "[sysctl]\n" }] },
  bootcmdline: "quiet",
  complete: true,
};

describe("the tuning record", () => {
  test("is kept until it is removed", async () => {
    const host = new MemoryHost(new MemoryBase([]));
    expect(await loadRecord(host)).toBeUndefined();
    await saveRecord(host, record);
    expect(await loadRecord(host)).toEqual(record);
    await removeRecord(host);
    expect(await loadRecord(host)).toBeUndefined();
  });

  test("says what must be writable where its file system is read-only", async () => {
    const failed = { type: "failed", code: "EROFS", message: "EROFS: read-only file system" } as const;
    await expect(saveRecord({ replace: async () => failed }, record)).rejects.toThrow(
      "write the tuning record: EROFS: read-only file system; nothing is tuned: /var/lib/attune must be writable",
    );
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    '{"version":2}',
    JSON.stringify({ version: 1, ...record, spec: { config: {} } }),
    JSON.stringify({ version: 1, ...record, complete: "yes" }),
    JSON.stringify({ version: 1, ...record, bootId: 1 }),
  ])("is none if the file holds %j", async (text) => {
    expect(await loadRecord(new MemoryHost(new MemoryBase([[recordPath, text]])))).toBeUndefined();
  });
});
