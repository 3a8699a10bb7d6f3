import { expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { writeImageFile } from "./one-shot.ts";

const path = "/var/lib/ocp-tuned/image.env";
const image = "registry.example/attune:1";

test("the image file is written once", async () => {
  const host = new MemoryHost(new MemoryBase([]));
  expect(await writeImageFile(host, image)).toEqual({ type: "done" });
  expect(await host.read(path)).toEqual({ type: "text", text: `NTO_IMAGE=${image}\n` });
  const neverWritten = { read: host.read.bind(host), replace: () => Promise.reject(new Error("written again")) };
  expect(await writeImageFile(neverWritten, image)).toEqual({ type: "done" });
});

test("another image replaces the first", async () => {
  const host = new MemoryHost(new MemoryBase([]));
  await writeImageFile(host, "old");
  await writeImageFile(host, image);
  expect(await host.read(path)).toEqual({ type: "text", text: `NTO_IMAGE=${image}\n` });
});
