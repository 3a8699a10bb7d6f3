import { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { apiErrorFromStatus } from "../../cluster/kube/api-error.ts";
import * as tables from "./flags.ts";
import { addCommand, flagName, type Flags, list, parseArguments, parsed, text, toggle } from "./option/flag.ts";
import { attuneProgram } from "./program.ts";
import { describeCommands } from "./reference/describe-commands.ts";
import { duration, nodeCount, outputFlag, portNumber } from "./option/shared-flags.ts";
import * as profileTables from "./profile/flags.ts";
import * as tunedTables from "./tuned/flags.ts";
import { defaultStateDirectory } from "./up/state-directory.ts";

describe("a table of flags", () => {
  const all = Object.entries<Flags>({ ...tables, ...profileTables, ...tunedTables });
  it.each(all)("%s names every flag as commander does", (_, flags) => {
    const names = Object.values(flags).map((flag) => new Option(flag.flags).attributeName());
    expect(names).toEqual(Object.keys(flags));
  });

  it.each(all)("%s has no flag twice", (_, flags) => {
    const names = Object.values(flags).flatMap((flag) => flag.flags.match(/(^|\s)--?[a-z-]+/gi) ?? []);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(all)("%s has defaults that its flags can be given", (_, flags) => {
    for (const flag of Object.values(flags)) expect(() => flag.read(undefined, flagName(flag))).not.toThrow();
  });
});

describe("arguments", () => {
  const flags = {
    name: text("-n, --name <name>", "", { env: "NAME", default: "default" }),
    count: parsed("--count <n>", "", nodeCount),
    prefix: text("--prefix <text>", "", { default: "node-" }),
    files: list("-f, --files <file>", ""),
    force: toggle("--force", ""),
    exec: toggle("--no-exec", ""),
  };
  const nothing = { name: "default", count: undefined, prefix: "node-", files: undefined, force: false, exec: true };

  it.each<[string[], Record<string, string>, object]>([
    [[], {}, {}],
    [["--name", "given"], { NAME: "env" }, { name: "given" }],
    [["-n=given"], {}, { name: "=given" }],
    [["--name=given"], {}, { name: "given" }],
    [[], { NAME: "env" }, { name: "env" }],
    [[], { NAME: "" }, {}],
    [["--name", ""], { NAME: "env" }, { name: "env" }],
    [["--prefix", ""], {}, { prefix: "" }],
    [["--count", "12"], {}, { count: 12 }],
    [["-f", "a", "-f", "b"], {}, { files: ["a", "b"] }],
    [["--force", "--no-exec"], {}, { force: true, exec: false }],
  ])("%j with environment %j", (args, env, expected) => {
    expect(parseArguments(flags, args, env)).toEqual({ ...nothing, ...expected });
  });

  it.each([
    [["--count", "x"], "--count x: not a number of nodes"],
    [["--count"], "option '--count <n>' argument missing"],
    [["--count", "\x1b[2J\nerror: x"], "--count \\u{1b}[2J\\nerror: x: not a number of nodes"],
    [["--unknown"], "unknown option '--unknown'"],
    [["--help"], "unknown option '--help'"],
    [["operand"], "too many arguments"],
  ])("%j are refused", (args, message) => {
    expect(() => parseArguments(flags, args, {})).toThrow(message);
  });
});

it("a refusal of the API server begins with the command", async () => {
  const refusal = apiErrorFromStatus({ kind: "Status", code: 403, message: "nodes is forbidden" }, { code: 403 });
  const program = new Command("attune");
  const run = (): Promise<void> => Promise.reject(refusal);
  addCommand(program.command("tuned"), { name: "apply", description: "", flags: {}, run });
  await expect(program.parseAsync(["tuned", "apply"], { from: "user" })).rejects.toThrow(
    /^tuned apply: nodes is forbidden$/,
  );
});

/** Of every command that has one. */
const outputs = describeCommands(attuneProgram()).flatMap(({ name, flags }) =>
  flags.some(({ term }) => term.includes("--output")) ? [name] : [],
);

describe("-o", () => {
  const read = (formats: Parameters<typeof outputFlag>[0], value: string): unknown =>
    outputFlag(formats, "").read(value, "--output");

  it.each(["table", "text", "wide"])("%s is taken by every command that prints for people", (format) => {
    expect(read(["table", "json", "yaml"], format)).toBe("table");
    expect(read(["text", "json", "yaml"], format)).toBe("text");
    expect(read(["table", "wide", "json"], format)).toBe(format === "wide" ? "wide" : "table");
    expect(() => read(["yaml", "json"], format)).toThrow(`--output ${format}: not one of yaml, json`);
  });

  it("is checked all the same", () => {
    expect(() => read(["table", "json"], "tabel")).toThrow("--output tabel: not one of table, json");
  });

  it("is there for every command that shows a state", () => {
    expect(outputs).toEqual(
      expect.arrayContaining([
        "attune status",
        "attune plan",
        "attune explain",
        "attune version",
        "attune profile info",
      ]),
    );
  });
});

describe("a port", () => {
  it.each([
    ["0", 0],
    ["6443", 6443],
    ["65535", 65535],
  ])("may be %s", (value, port) => {
    expect(portNumber(value, "--port")).toBe(port);
  });

  it.each(["", " ", "-1", "65536", "1.5", "0x10", "1e3", "http"])("may not be %j", (value) => {
    expect(() => portNumber(value, "--port")).toThrow(/^--port .*: not a port number/);
  });
});

describe("a number of nodes", () => {
  it("is a count", () => {
    expect([nodeCount("1", "--nodes"), nodeCount("500", "--nodes")]).toEqual([1, 500]);
  });

  it.each(["", "0", "-1", "1.5", "1e9", "1000000", "many"])("may not be %j", (value) => {
    expect(() => nodeCount(value, "--nodes")).toThrow(/^--nodes .*: not a number of nodes/);
  });
});

describe("a duration", () => {
  it.each([
    ["90s", 90_000],
    ["10m", 600_000],
    ["2h", 7_200_000],
  ])("may be %s", (value, ms) => {
    expect(duration(value, "--for")).toBe(ms);
  });

  it.each(["", "10", "0m", "1.5h", "-1s", "1d"])("may not be %j", (value) => {
    expect(() => duration(value, "--for")).toThrow(/^--for .*: not a duration such as 30s, 10m or 1h$/);
  });
});

describe("the state directory", () => {
  const cases: [NodeJS.ProcessEnv, string][] = [
    [{ XDG_STATE_HOME: "/state", HOME: "/home/u" }, "/state/attune/standalone"],
    [{ XDG_STATE_HOME: "", HOME: "/home/u" }, "/home/u/.local/state/attune/standalone"],
    [{ HOME: "/home/u/" }, "/home/u/.local/state/attune/standalone"],
    // The XDG specification ignores relative paths.
    [{ XDG_STATE_HOME: "state", HOME: "/home/u" }, "/home/u/.local/state/attune/standalone"],
  ];
  it.each(cases)("with environment %j", (env, path) => {
    expect(defaultStateDirectory("standalone", env)).toBe(path);
  });

  it.each([{}, { HOME: "" }, { HOME: "home" }])("is never in the working directory: environment %j", (env) => {
    expect(defaultStateDirectory("standalone", env)).toBeUndefined();
  });
});
