import { expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { type Answer, type Probe, probeKey } from "../../language/tuned/probe.ts";
import { answerProbes } from "./answer-probes.ts";

const virtualCpu: [string, string] = ["/proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor lm\n"];

function host(files: [string, string][]): MemoryHost {
  return new MemoryHost(new MemoryBase(files), [
    ["fails", async () => ({ type: "exited", code: 3, stdout: "", stderr: "cannot\n" })],
  ]);
}

test.each<[string, Probe, [string, string][], Answer]>([
  ["a file", { type: "file", path: "/a/b" }, [["/a/b", "x\n"]], { type: "text", text: "x\n" }],
  ["a missing file", { type: "file", path: "/a" }, [], { type: "none", message: "no such file" }],
  [
    "a folder",
    { type: "list", path: "/a" },
    [
      ["/a/c/d", ""],
      ["/a/b", ""],
    ],
    { type: "text", text: "b\nc" },
  ],
  ["a missing folder", { type: "list", path: "/a" }, [], { type: "text", text: "" }],
  ["a program", { type: "exec", argv: ["cat", "/a"] }, [["/a", "x"]], { type: "text", text: "x" }],
  ["a program that fails", { type: "exec", argv: ["fails"] }, [], { type: "none", message: "cannot" }],
  [
    "virt-what where it is not installed, on a virtual machine",
    { type: "exec", argv: ["virt-what"] },
    [virtualCpu],
    { type: "text", text: "hypervisor\n" },
  ],
  [
    "virt-what where it is not installed, on another machine",
    { type: "exec", argv: ["virt-what"] },
    [],
    { type: "text", text: "" },
  ],
])("%s is answered", async (_, probe, files, expected) => {
  expect(await answerProbes([probe], host(files))).toEqual([[probeKey(probe), expected]]);
});
