import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { apiVersion, type MachineConfig, type MachineConfigPool, roleLabel } from "./api.ts";
import type { Digest } from "./content-hash.ts";
import { readContents } from "./read-contents.ts";
import type { RenderInput } from "./render-input.ts";
import { renderPool } from "./render-pool.ts";

const digest: Digest = (parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

const pool: MachineConfigPool = { apiVersion, kind: "MachineConfigPool", metadata: { name: "worker", uid: "u" } };

function machineConfig(name: string, spec: MachineConfig["spec"], role = "worker"): MachineConfig {
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name, labels: { [roleLabel]: role } },
    ...(spec ? { spec } : {}),
  };
}

function withFile(path: string, source: string, compression?: string): MachineConfig["spec"] {
  const contents = compression === undefined ? { source } : { source, compression };
  return { config: { ignition: { version: "3.2.0" }, storage: { files: [{ path, mode: 420, contents }] } } };
}

const render = (...machineConfigs: MachineConfig[]) => renderPool({ pool, machineConfigs, version: "1", digest });

test("a pool's rendered config has the files of its MachineConfigs, and its contents are read back", () => {
  const rendering = render(
    machineConfig("10-a", withFile("/etc/a", "data:,one")),
    machineConfig("20-b", { fips: true }),
  );
  if (rendering.type !== "rendered") throw new Error(JSON.stringify(rendering));
  expect(rendering.config.metadata.name).toMatch(/^rendered-worker-[0-9a-f]{32}$/);
  expect(rendering.sources.map(({ name }) => name)).toEqual(["10-a", "20-b"]);
  expect(rendering.contents.files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)])).toEqual([
    ["/etc/a", "one"],
  ]);
  expect(readContents(rendering.config.spec)).toEqual({ type: "contents", contents: rendering.contents });
});

const oneFile = { path: "/etc/a", contents: { source: "data:,one" } };

test("the spelling of a file does not change the name (machine-config W-5)", () => {
  const names = [
    withFile("/etc/a", "data:,one"),
    withFile("/etc/a", "data:,one", ""),
    withFile("/etc/a", "data:text/plain;charset=utf-8;base64,b25l"),
    withFile("/etc/a", "data:;base64,H4sIAAAAAAAC/8vPSwUA8YZsegMAAAA=", "gzip"),
  ].map((spec) => {
    const rendering = render(machineConfig("10-a", spec));
    return rendering.type === "rendered" ? rendering.config.metadata.name : rendering.problems;
  });
  expect(new Set(names).size).toBe(1);
});

test.each<[string, object]>([
  [
    "root is named as the owner",
    { storage: { files: [{ ...oneFile, user: { name: "root" }, group: { name: "root" } }] } },
  ],
  ["root is named by its id", { storage: { files: [{ ...oneFile, user: { id: 0 }, group: { id: 0 } }] } }],
  ["lists are empty", { storage: { files: [oneFile], disks: [], links: [] }, passwd: { users: [], groups: [] } }],
])("where %s, name and contents are the same (machine-config W-5)", (_, sections) => {
  const [one, other] = [{ storage: { files: [oneFile] } }, sections].map((parts) =>
    render(machineConfig("10-a", { config: { ignition: { version: "3.2.0" }, ...parts } })),
  );
  expect(other).toMatchObject({
    type: "rendered",
    config: { metadata: one?.type === "rendered" ? one.config.metadata : {} },
  });
  expect(other?.type === "rendered" && other.contents).toEqual(one?.type === "rendered" && one.contents);
});

test("boot arguments that the kernel would not read to their end are refused, with the MachineConfig that adds the last", () => {
  const first = machineConfig("10-a", { kernelArguments: ["x".repeat(1000), "y".repeat(1000)] });
  expect(render(first, machineConfig("20-b", { kernelArguments: ["z".repeat(45)] })).type).toBe("rendered");
  expect(
    render(first, machineConfig("20-b", { kernelArguments: ["z".repeat(46)] }), machineConfig("30-c", {})),
  ).toEqual({
    type: "refused",
    problems: [
      {
        object: { apiVersion, kind: "MachineConfig", name: "20-b" },
        field: "spec.kernelArguments",
        message:
          "Forbidden: the kernel reads at most 2047 characters of its command line, and this one would have 2048",
      },
    ],
  });
});

test("an invalid MachineConfig is named with its field (machine-config W-2)", () => {
  const rendering = render(
    machineConfig("10-a", withFile("/etc/a", "data:,one")),
    machineConfig("20-bad", withFile("etc/a", "data:,x")),
  );
  expect(rendering).toEqual({
    type: "refused",
    problems: [
      {
        object: { apiVersion, kind: "MachineConfig", name: "20-bad" },
        field: "spec.config.storage.files[0].path",
        message: 'Invalid value: "etc/a": must be absolute',
      },
    ],
  });
});

describe("what MachineConfigs cannot have together is said of one of them (machine-config W-2)", () => {
  const config = (sections: object): MachineConfig["spec"] => ({
    config: { ignition: { version: "3.2.0" }, ...sections },
  });
  const problemsOf = (input: Partial<RenderInput>, ...machineConfigs: MachineConfig[]): string[] => {
    const rendering = renderPool({ pool, machineConfigs, version: "1", digest, ...input });
    return rendering.type === "rendered"
      ? []
      : rendering.problems.map(({ object: { kind, name }, field }) => `${kind} ${name}: ${field}`);
  };
  const current = machineConfig("rendered-worker-1", config({ storage: { disks: [{ device: "/dev/a" }] } }));

  test.each<[string, Partial<RenderInput>, MachineConfig[], string[]]>([
    [
      "a file below a link of another",
      {},
      [
        machineConfig("10-link", config({ storage: { links: [{ path: "/etc/l", target: "/x" }] } })),
        machineConfig("20-file", config({ storage: { files: [{ path: "/etc/a" }, { path: "/etc/l/f" }] } })),
        machineConfig("30-more", config({ storage: { files: [{ path: "/etc/z" }] } })),
      ],
      ["MachineConfig 20-file: spec.config.storage.files[1].path"],
    ],
    [
      "a FIPS mode that nodes do not have",
      { current: machineConfig("rendered-worker-1", config({})) },
      [machineConfig("10-a", {}), machineConfig("20-fips", { fips: true }), machineConfig("30-b", { fips: false })],
      ["MachineConfig 20-fips: spec.fips"],
    ],
    [
      "another user, and disks, from the first rendering on",
      {},
      [
        machineConfig("10-a", {}),
        machineConfig(
          "20-user",
          config({ passwd: { users: [{ name: "core", sshAuthorizedKeys: ["k"] }, { name: "bob" }] } }),
        ),
        machineConfig("30-disk", config({ storage: { disks: [{ device: "/dev/b" }] } })),
      ],
      ["MachineConfig 30-disk: spec.config.storage.disks", "MachineConfig 20-user: spec.config.passwd.users[1].name"],
    ],
    [
      "disks that no MachineConfig has any more",
      { current },
      [machineConfig("10-a", {})],
      ["MachineConfigPool worker: spec.machineConfigSelector"],
    ],
    [
      "disks that an administrator allows to differ",
      { current, storageOverrides: ["Disks"] },
      [machineConfig("10-a", {})],
      [],
    ],
    [
      "a current config that cannot be read",
      { current: machineConfig("rendered-worker-1", { config: { ignition: { version: "9.0.0" } } }) },
      [machineConfig("10-a", {})],
      ["MachineConfig rendered-worker-1: spec.config.ignition.version"],
    ],
    ["nothing", {}, [], ["MachineConfigPool worker: spec.machineConfigSelector"]],
  ])("%s", (_, input, machineConfigs, problems) => {
    expect(problemsOf(input, ...machineConfigs)).toEqual(problems);
  });

  test("a link above a file of another MachineConfig is named with its own, which may be the wrong one (machine-config W-2)", () => {
    const file = machineConfig("10-file", config({ storage: { files: [{ path: "/etc/f" }] } }));
    const link = machineConfig("20-link", config({ storage: { links: [{ path: "/etc", target: "/x" }] } }));
    expect(render(file, link, machineConfig("30-more", {}))).toMatchObject({
      problems: [
        {
          object: { name: "10-file" },
          message: 'Invalid value: "/etc/f": must not be below the link /etc of MachineConfig 20-link',
        },
      ],
    });
  });

  test("an invalid MachineConfig degrades the pools that select it, and no other (machine-config W-3)", () => {
    const bad = machineConfig("20-bad", { kernelType: "fast" });
    expect(problemsOf({}, machineConfig("10-a", {}), bad)).toEqual(["MachineConfig 20-bad: spec.kernelType"]);
    expect(problemsOf({}, machineConfig("10-a", {}))).toEqual([]);
  });
});

describe("a hostile MachineConfig", () => {
  test("with 10,000 files is rendered, all of them", () => {
    const files = Array.from({ length: 10_000 }, (_, i) => ({ path: `/a/${i}`, contents: { source: "data:," } }));
    const rendering = render(machineConfig("10-a", { config: { ignition: { version: "3.5.0" }, storage: { files } } }));
    expect(rendering.type === "rendered" && rendering.contents.files.length).toBe(10_000);
  });

  test("may hold what one object holds; two of them are too much together", () => {
    const large = (path: string): MachineConfig["spec"] => withFile(path, `data:,${"a".repeat(1_000_000)}`);
    expect(render(machineConfig("10-a", large("/a"))).type).toBe("rendered");
    expect(render(machineConfig("10-a", large("/a")), machineConfig("10-b", large("/b")))).toMatchObject({
      type: "refused",
      problems: [
        {
          object: { kind: "MachineConfigPool", name: "worker" },
          message: expect.stringMatching(/ has 200\d{4} bytes/),
        },
      ],
    });
  });

  test("with compressed files that are too large together is refused, with the first that is too much", () => {
    const bomb = `data:;base64,${gzipSync(Buffer.alloc(9 * 1024 * 1024)).toString("base64")}`;
    const rendering = render(
      machineConfig("10-a", withFile("/a", bomb, "gzip")),
      machineConfig("20-b", withFile("/b", bomb.replace("data:;", "data:x/y;"), "gzip")),
    );
    expect(rendering).toMatchObject({
      type: "refused",
      problems: [{ object: { name: "20-b" }, field: "spec.config.storage.files[0].contents.source" }],
    });
  });

  test.each<[string, unknown, string]>([
    ["a number for a list", { kernelArguments: 3 }, "spec.kernelArguments"],
    ["a number in a list", { kernelArguments: [3] }, "spec.kernelArguments[0]"],
    ["a text for a flag", { fips: "yes" }, "spec.fips"],
    ["a line break in an argument", { kernelArguments: ["a\nb"] }, "spec.kernelArguments[0]"],
    ["a text for Ignition", { config: "{}" }, "spec.config.ignition.version"],
    ["null for Ignition", { config: null }, "spec.config.ignition.version"],
    ["a list for Ignition", { config: [] }, "spec.config.ignition.version"],
    ["an unknown extension", { extensions: ["nope"] }, "spec.extensions[0]"],
  ])("with %s is refused, never a crash", (_, spec, field) => {
    const rendering = render(machineConfig("10-a", spec as MachineConfig["spec"]));
    expect(rendering.type === "refused" && rendering.problems.map((problem) => problem.field)).toEqual([field]);
  });
});
