import { describe, expect, test } from "vitest";
import { filesOf, ignitionConfig, unitsOf } from "./config.ts";
import { textFile } from "./file-contents.ts";

describe("a configuration", () => {
  test("has only what it is given", () => {
    const file = textFile("/a", 0o644, "a");
    expect(ignitionConfig([])).toEqual({ ignition: { version: "3.2.0" } });
    expect(ignitionConfig([file], [{ name: "a.service", enabled: true }])).toEqual({
      ignition: { version: "3.2.0" },
      storage: { files: [file] },
      systemd: { units: [{ name: "a.service", enabled: true }] },
    });
  });

  test("is read back unchanged", () => {
    const files = [textFile("/a", 0o644, "a"), textFile("/b", 0o700, "b")];
    const units = [{ name: "a.service", enabled: false, contents: "[Unit]\n" }];
    expect(filesOf(ignitionConfig(files, units))).toEqual(files);
    expect(unitsOf(ignitionConfig(files, units))).toEqual(units);
  });
});

describe("files and units of any configuration", () => {
  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "config"],
    ["null", null],
    ["no storage", {}],
    ["files that are no list", { storage: { files: { path: "/a" } }, systemd: { units: 3 } }],
    [
      "files without a path",
      { storage: { files: [{}, null, "x", { path: 3 }] }, systemd: { units: [{ name: {} }, 1] } },
    ],
    [
      "what only a prototype has",
      Object.create({ storage: { files: [{ path: "/a" }] }, systemd: { units: [{ name: "a" }] } }),
    ],
  ])("are none in %s", (_, config) => {
    expect(filesOf(config)).toEqual([]);
    expect(unitsOf(config)).toEqual([]);
  });

  test("keep the valid fields", () => {
    const files = [
      { path: "/plain", overwrite: true },
      { path: "/odd", mode: "0644", contents: { source: 3, compression: [] } },
      { path: "/zipped", mode: 420, contents: { source: "data:,x", compression: "gzip" } },
    ];
    expect(filesOf({ storage: { files } })).toEqual([
      { path: "/plain" },
      { path: "/odd", contents: {} },
      { path: "/zipped", mode: 420, contents: { source: "data:,x", compression: "gzip" } },
    ]);
    expect(unitsOf({ systemd: { units: [{ name: "a", enabled: "yes", contents: 3, mask: true }] } })).toEqual([
      { name: "a" },
    ]);
  });
});
