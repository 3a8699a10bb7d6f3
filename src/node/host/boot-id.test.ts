import { expect, test } from "vitest";
import { readBootId } from "./boot-id.ts";
import { MemoryBase } from "./memory-base.ts";
import { MemoryHost } from "./memory-host.ts";

const path = "/proc/sys/kernel/random/boot_id";

test("the boot id of a node is read without its newline", async () => {
  expect(await readBootId(new MemoryHost(new MemoryBase([[path, "b\n"]])))).toBe("b");
});

test("a root without a boot id is rejected", async () => {
  await expect(readBootId(new MemoryHost(new MemoryBase([])))).rejects.toThrow(
    `--root has no ${path}: is it a node's root?`,
  );
});

test("a boot id that cannot be read is an error", async () => {
  const read = async () => ({ type: "failed", code: "EACCES", message: "EACCES: permission denied" }) as const;
  await expect(readBootId({ read })).rejects.toThrow("read the boot id: EACCES: permission denied");
});
