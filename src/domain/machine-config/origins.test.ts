import { expect, test } from "vitest";
import type { MachineConfig } from "./api.ts";
import { mostOriginsText, originsOf, originsText, readOrigins, withOrigin } from "./origins.ts";
import { originsAnnotation } from "./rendered-annotations.ts";
import type { Source } from "./read-source.ts";

const source = (name: string, document: object, fields: Partial<Source> = {}) => ({
  machineConfig: { metadata: { name } } as MachineConfig,
  source: { ...fields, document: document as Source["document"] },
});
const files = (...paths: string[]): object => ({ storage: { files: paths.map((path) => ({ path })) } });

test("a problem names the MachineConfig whose file won, and all that have parts of a unit or of the arguments", () => {
  const unit = { systemd: { units: [{ name: "a.service" }] } };
  const sources = [
    source("10-a", { ...files("/etc/a", "/etc/a b"), ...unit }, { kernelArguments: ["x"] }),
    source("20-b", { ...files("/etc/a"), ...unit }, { kernelArguments: ["y"] }),
  ];
  const origins = readOrigins({ annotations: { [originsAnnotation]: originsText(originsOf(sources))! } });
  expect(
    [
      "storage.files /etc/a: is missing",
      "storage.files /etc/a b: is missing",
      "storage.files /etc/ab: is missing",
      "systemd.units a.service enabled: is disabled",
      "kernelArguments: /proc/cmdline lacks x",
    ].map((problem) => withOrigin(problem, origins)),
  ).toEqual([
    "storage.files /etc/a: is missing (MachineConfig 20-b)",
    "storage.files /etc/a b: is missing (MachineConfig 10-a)",
    "storage.files /etc/ab: is missing",
    "systemd.units a.service enabled: is disabled (MachineConfig 10-a, 20-b)",
    "kernelArguments: /proc/cmdline lacks x (MachineConfig 10-a, 20-b)",
  ]);
});

test("too many to store are not stored, and a damaged annotation names none", () => {
  const many = files(...Array.from({ length: 3000 }, (_, index) => `/etc/some/file-${index}`));
  expect(originsText(originsOf([source("10-a", many)]))).toBeUndefined();
  expect(originsText(originsOf([source("10-a", files("/etc/a"))]))!.length).toBeLessThan(mostOriginsText);
  for (const text of ["{", "[]", "3", '{"a":3}'])
    expect(readOrigins({ annotations: { [originsAnnotation]: text } })).toEqual(new Map());
});
