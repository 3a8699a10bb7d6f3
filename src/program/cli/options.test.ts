import { describe, expect, it } from "vitest";
import { nodesOption } from "./option/nodes-option.ts";
import { portOption } from "./option/port-option.ts";
import { defaultStateDirectory } from "./up/system.ts";

describe("--port", () => {
  it.each([
    ["0", 0],
    ["6443", 6443],
    ["65535", 65535],
  ])("may be %s", (text, port) => {
    expect(portOption(text)).toBe(port);
  });

  it.each(["", " ", "-1", "65536", "1.5", "0x10", "1e3", "http", true, undefined])("may not be %j", (text) => {
    expect(() => portOption(text)).toThrow(/^--port .*: not a port number/);
  });
});

describe("--nodes", () => {
  it("is a count", () => {
    expect([nodesOption("1"), nodesOption("500")]).toEqual([1, 500]);
  });

  it.each(["", "0", "-1", "1.5", "1e9", "1000000", "many", undefined])("may not be %j", (text) => {
    expect(() => nodesOption(text)).toThrow(/^--nodes .*: not a number of nodes/);
  });
});

describe("the state directory", () => {
  const cases: [NodeJS.ProcessEnv, string][] = [
    [{ XDG_STATE_HOME: "/state", HOME: "/home/u" }, "/state/attune/standalone"],
    [{ XDG_STATE_HOME: "", HOME: "/home/u" }, "/home/u/.local/state/attune/standalone"],
    [{}, ".local/state/attune/standalone"],
  ];
  it.each(cases)("of %j", (env, path) => {
    expect(defaultStateDirectory("standalone", env)).toBe(path);
  });
});
