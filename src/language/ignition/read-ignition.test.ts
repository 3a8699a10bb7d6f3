import { describe, expect, test } from "vitest";
import { readIgnition } from "./read-ignition.ts";

const version = { version: "3.2.0" };

/** `field: message` of each problem. */
function problemsOf(config: unknown): string[] {
  const read = readIgnition(config, "spec.config");
  return read.type === "problems" ? read.problems.map(({ field, message }) => `${field}: ${message}`) : [];
}

const storage = (sections: object): object => ({ ignition: version, storage: sections });
const file = (entry: object): object => storage({ files: [{ path: "/etc/a", ...entry }] });
const units = (...list: object[]): object => ({ ignition: version, systemd: { units: list } });

describe("a config is refused, with the field,", () => {
  test.each<[string, object, string]>([
    ["a relative path", file({ path: "etc/a" }), 'storage.files[0].path: Invalid value: "etc/a": must be absolute'],
    ["two slashes", file({ path: "/etc//a" }), "storage.files[0].path: "],
    ["a dot", file({ path: "/etc/./a" }), "storage.files[0].path: "],
    ["a slash at the end", file({ path: "/etc/" }), "storage.files[0].path: "],
    ["the root", file({ path: "/" }), "storage.files[0].path: "],
    ["a NUL", file({ path: "/etc/a\0b" }), "storage.files[0].path: "],
    ["a path longer than Linux has", file({ path: `/${"a/".repeat(3000)}a` }), "storage.files[0].path: "],
    ["an id and a name", file({ user: { id: 1, name: "a" } }), "storage.files[0].user: "],
    ["an id that is none", file({ group: { id: -1 } }), "storage.files[0].group.id: "],
    ["a mode of eight bits too many", file({ mode: 0o1777 }), "storage.files[0].mode: "],
    ["overwriting with nothing", file({ overwrite: true }), "storage.files[0].overwrite: "],
    [
      "a hash of nothing",
      file({ contents: { verification: { hash: "sha512-00" } } }),
      "storage.files[0].contents.verification.hash: ",
    ],
    [
      "an unknown hash",
      file({ contents: { source: "data:,", verification: { hash: "md5-00" } } }),
      "storage.files[0].contents.verification.hash: ",
    ],
    ["append (machine-config W-6)", file({ append: [{ source: "data:,a" }] }), "storage.files[0].append: "],
    [
      "a directory below a link",
      storage({ links: [{ path: "/a", target: "/b" }], directories: [{ path: "/a/c/d" }] }),
      "storage.directories[0].path: ",
    ],
    [
      "a link below a link",
      storage({
        links: [
          { path: "/a", target: "/b" },
          { path: "/a/c", target: "/b" },
        ],
      }),
      "storage.links[1].path: ",
    ],
    [
      "a link and a file",
      storage({ links: [{ path: "/etc/a", target: "/b" }], files: [{ path: "/etc/a" }] }),
      "storage.links[0].path: Duplicate value",
    ],
    [
      "an owner of a hard link",
      storage({ links: [{ path: "/a", target: "/b", hard: true, user: { id: 1 } }] }),
      "storage.links[0]: ",
    ],
    ["a unit of no kind", units({ name: "a.conf" }), "systemd.units[0].name: "],
    ["a unit without a name", units({ contents: "" }), "systemd.units[0].name: Required value"],
    [
      "a unit that leaves its folder (machine-config W-7)",
      units({ name: "../../a.service" }),
      "systemd.units[0].name: ",
    ],
    [
      "a drop-in that leaves its folder (machine-config W-7)",
      units({ name: "a.service", dropins: [{ name: "../x.conf" }] }),
      "systemd.units[0].dropins[0].name: ",
    ],
    [
      "a drop-in of no kind",
      units({ name: "a.service", dropins: [{ name: "x" }] }),
      "systemd.units[0].dropins[0].name: ",
    ],
    [
      "a key of two lines",
      { ignition: version, passwd: { users: [{ name: "core", sshAuthorizedKeys: ["a\nb"] }] } },
      "passwd.users[0].sshAuthorizedKeys[0]: ",
    ],
    [
      "a password that would add a line to /etc/shadow",
      { ignition: version, passwd: { users: [{ name: "core", passwordHash: "x:::\nroot::" }] } },
      "passwd.users[0].passwordHash: ",
    ],
    ["a unit that systemctl would read as an option", units({ name: "--root=a.service" }), "systemd.units[0].name: "],
    ["a list for an object", { ignition: version, storage: [] }, 'storage: Invalid value: "a list": must be an object'],
    ["a number beyond 2^53", file({ mode: 2n ** 60n }), "storage.files[0].mode: "],
  ])("%s", (_, config, problem) => {
    const [first = "", ...others] = problemsOf(config);
    expect(first.startsWith(`spec.config.${problem}`), first).toBe(true);
    expect(others).toEqual([]);
  });
});

describe("version 2", () => {
  const second = (sections: object): object => ({ ignition: { version: "2.2.0" }, ...sections });

  test.each<[string, object, string]>([
    ["another user", { passwd: { users: [{ name: "bob" }] } }, "passwd.users[0].name"],
    ["append", { storage: { files: [{ path: "/a", filesystem: "root", append: true }] } }, "storage.files[0].append"],
    [
      "another file system",
      { storage: { links: [{ path: "/a", target: "/b", filesystem: "data" }] } },
      "storage.links[0].filesystem",
    ],
    ["disks", { storage: { disks: [{ device: "/dev/a" }] } }, "storage.disks"],
    ["networkd", { networkd: { units: [{ name: "a.network" }] } }, "networkd"],
  ])("is refused with %s", (_, sections, field) => {
    expect(problemsOf(second(sections)).map((problem) => problem.split(": ")[0])).toEqual([`spec.config.${field}`]);
  });

  test("keeps what both versions have", () => {
    const read = readIgnition(
      second({
        storage: { files: [{ path: "/a", filesystem: "root", overwrite: false, user: { name: "u" } }] },
        systemd: { units: [{ name: "a.service", enable: true, mask: false }] },
      }),
      "spec.config",
    );
    expect(read.type === "document" && read.document).toEqual({
      ignition: { version: "3.5.0" },
      storage: { files: [{ path: "/a", overwrite: false, user: { name: "u" } }] },
      systemd: { units: [{ name: "a.service", enabled: true, mask: false }] },
    });
  });
});

describe("a hostile config", () => {
  test("has names of prototypes, which are names like others", () => {
    const config = JSON.parse(
      '{"ignition":{"version":"3.2.0","__proto__":{"x":1}},"__proto__":{"storage":{"files":[{"path":"a"}]}},"constructor":1,"storage":{"files":[{"path":"/constructor","__proto__":{"mode":1},"contents":{"toString":1}}],"__proto__":[]},"systemd":{"units":[{"name":"__proto__.service"},{"name":"constructor.service"}]}}',
    ) as unknown;
    const read = readIgnition(config, "spec.config");
    expect(read).toEqual({
      type: "document",
      document: {
        ignition: { version: "3.5.0" },
        storage: { files: [{ path: "/constructor", contents: {} }] },
        systemd: { units: [{ name: "__proto__.service" }, { name: "constructor.service" }] },
      },
    });
  });

  test("of 20,000 mistakes has as many problems as a reader can use, each of them short", () => {
    const mistakes = Array.from({ length: 20_000 }, () => ({ path: "x".repeat(1000), mode: -1 }));
    const problems = problemsOf(storage({ files: mistakes }));
    expect(problems.length).toBeLessThanOrEqual(101);
    expect(Math.max(...problems.map((problem) => problem.length))).toBeLessThan(300);
  });

  test("may have links in circles: they are written, never followed", () => {
    const links = [
      { path: "/etc/a", target: "/etc/b" },
      { path: "/etc/b", target: "/etc/a" },
      { path: "/etc/c", target: "/etc/c" },
    ];
    expect(problemsOf(storage({ links }))).toEqual([]);
  });
});
