import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { apiVersion, type MachineConfig, type MachineConfigPool, roleLabel } from "./api.ts";
import type { Digest } from "./content-hash.ts";
import { readContents } from "./read-contents.ts";
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
