import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { installManifests } from "../../src/program/cli/install/manifests.ts";
import { root } from "../architecture/imports.ts";

it("docs/operations.md says what to do about every alert that is installed", () => {
  const manifests = JSON.stringify(installManifests({ mode: "standalone", monitoring: true, scylla: true }));
  const alerts = new Set(Array.from(manifests.matchAll(/"alert":"(\w+)"/g), ([, name]) => name));
  expect(alerts.size).toBeGreaterThan(5);
  const table = readFileSync(join(root, "docs/operations.md"), "utf8");
  expect([...alerts].filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});
