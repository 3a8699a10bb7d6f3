import { describe, expect, it } from "vitest";
import { ignitionConfig } from "../../language/ignition/config.ts";
import { textFile } from "../../language/ignition/file-contents.ts";
import { objectDiff, readable } from "./object-diff.ts";

function machineConfig(config: unknown) {
  return { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", metadata: {}, spec: { config } };
}

describe("a readable MachineConfig", () => {
  it("has files and units as they are on the node", () => {
    const unit = { name: "a.service", enabled: true, contents: "[Unit]\nBefore=b\n" };
    const config = ignitionConfig([textFile("/etc/a", 0o644, "α=1\n")], [unit]);
    expect(readable(machineConfig(config))).toMatchObject({
      spec: {
        config: {
          ignition: { version: "3.2.0" },
          files: { "/etc/a": { mode: "0644", text: "α=1\n" } },
          units: { "a.service": { enabled: true, contents: "[Unit]\nBefore=b\n" } },
        },
      },
    });
  });

  it("keeps what it cannot decode, and what is neither a file nor a unit", () => {
    const files = [{ path: "/etc/a", contents: { source: "https://example.com/a" } }];
    const config = { ignition: {}, passwd: { users: [{ name: "core" }] }, storage: { files, links: [{ path: "/b" }] } };
    expect(readable(machineConfig(config))).toMatchObject({
      spec: {
        config: {
          passwd: { users: [{ name: "core" }] },
          storage: { links: [{ path: "/b" }] },
          files: { "/etc/a": { contents: { source: "https://example.com/a" } } },
        },
      },
    });
  });

  it("differs in the line that changes", () => {
    const of = (text: string) => machineConfig(ignitionConfig([textFile("/etc/a", 0o644, text)]));
    const changed = objectDiff(of("one\ntwo\n"), of("one\n2\n"));
    expect(changed.split("\n").filter((line) => /^[+-]/.test(line))).toEqual(["-          two", "+          2"]);
  });

  it.each([
    ["the owner of a file", { storage: { files: [{ path: "/a", user: { name: "daemon" } }] } }],
    ["the group of a file", { storage: { files: [{ path: "/a", group: { id: 1 } }] } }],
    ["overwrite", { storage: { files: [{ path: "/a", overwrite: false }] } }],
    ["a hash", { storage: { files: [{ path: "/a", contents: { verification: { hash: "sha512-00" } } }] } }],
    ["a second file of a path", { storage: { files: [{ path: "/a" }, { path: "/a", mode: 420 }] } }],
    ["a file without a path", { storage: { files: [{ path: "/a" }, { mode: 420 }] } }],
    ["a mode that is a text", { storage: { files: [{ path: "/a", mode: "0644" }] } }],
    ["files that are no list", { storage: { files: { path: "/a" } } }],
    ["mask", { systemd: { units: [{ name: "b.service", mask: true }] } }],
    ["a drop-in", { systemd: { units: [{ name: "b.service", dropins: [{ name: "c.conf", contents: "" }] }] } }],
    ["an unknown field of a unit", { systemd: { units: [{ name: "b.service", more: 1 }] } }],
  ])("differs where %s changes", (_, changed) => {
    const plain = { storage: { files: [{ path: "/a" }] }, systemd: { units: [{ name: "b.service" }] } };
    expect(objectDiff(machineConfig(plain), machineConfig({ ...plain, ...changed }))).not.toBe("");
  });

  it("does not differ where only the order of files and units changes", () => {
    const files = [{ path: "/a" }, { path: "/b" }];
    const units = [{ name: "a.service" }, { name: "b.service" }];
    const before = { storage: { files }, systemd: { units } };
    const after = { storage: { files: files.toReversed() }, systemd: { units: units.toReversed() } };
    expect(objectDiff(machineConfig(before), machineConfig(after))).toBe("");
  });

  it.each([[undefined], [null], ["text"], [[]], [{ storage: 1, systemd: "x" }]])(
    "survives a config of %j",
    (config) => {
      expect(() => readable(machineConfig(config))).not.toThrow();
    },
  );

  it("leaves other kinds alone", () => {
    const tuned = { ...machineConfig({ storage: { files: [] } }), kind: "Tuned" };
    expect(readable(tuned)).toBe(tuned);
  });
});
