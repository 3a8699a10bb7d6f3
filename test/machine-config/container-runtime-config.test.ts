import { describe, expect, test } from "vitest";
import { generatedRuntime } from "../../src/domain/machine-config/container-runtime-config/runtime-config-kind.ts";
import { generate } from "../../src/domain/machine-config/pool-configs/generate.ts";
import { filesOf } from "../../src/language/ignition/config.ts";
import { contentsOf } from "../../src/language/ignition/file-contents.ts";
import { after, type Case, casesOf, objectOf, poolOf, type Short, type World } from "./pool-config-cases.ts";

const cases = casesOf("container-runtime-config.yaml");
const of = (check: string): Case[] => cases.filter((one) => one.check === check);

function worldOf(one: Case): World {
  const objects = [objectOf("ContainerRuntimeConfig", one["containerRuntimeConfig"] as Short)];
  return { pools: [poolOf({ name: "worker" })], objects, machineConfigs: [] };
}

describe("a recorded ContainerRuntimeConfig", () => {
  test.each(of("validate"))("$id is accepted, or all its problems are named", (one) => {
    const { outcomes } = generate(generatedRuntime, { ...worldOf(one), version: "1" });
    expect(outcomes.get("c")?.problems.map(({ field }) => field)).toEqual(one.refused);
  });

  test.each(of("files"))("$id becomes files", (one) => {
    const { machineConfigs } = generate(generatedRuntime, { ...worldOf(one), version: "1" });
    const files = filesOf(machineConfigs[0]?.spec?.config);
    const read = files.map((file) => ({ path: file.path, toml: tables(contentsOf(file) ?? "") }));
    expect(read).toEqual(one["files"]);
  });

  test.each(of("name"))("$id gets one MachineConfig for its pool", (one) => {
    const objects = (one["containerRuntimeConfigs"] as Short[]).map((short) =>
      objectOf("ContainerRuntimeConfig", short),
    );
    const world = { pools: [poolOf(one["pool"] as Short)], objects, machineConfigs: [] };
    const object = after(generatedRuntime, world).objects.find(({ metadata }) => metadata.name === one["for"]);
    expect(object?.metadata.finalizers).toEqual([one["machineConfig"]]);
  });
});

test("several of a pool are merged in order of age, and each field that two set differently is named on both (machine-config W-8)", () => {
  const limit = { name: "old", created: "2026-01-01T00:00:00Z", containerRuntimeConfig: { pidsLimit: 100 } };
  const both = {
    name: "new",
    created: "2026-01-02T00:00:00Z",
    containerRuntimeConfig: { pidsLimit: 0, logLevel: "info" },
  };
  const objects = [both, limit].map((short) => objectOf("ContainerRuntimeConfig", short));
  const pools = [poolOf({ name: "worker" })];
  const { machineConfigs, outcomes } = generate(generatedRuntime, { pools, objects, machineConfigs: [], version: "1" });
  expect(machineConfigs.map(({ metadata }) => metadata.name)).toEqual(["99-worker-generated-containerruntime"]);
  const texts = filesOf(machineConfigs[0]?.spec?.config).map((file) => contentsOf(file) ?? "");
  expect(texts.map(tables)).toEqual([
    { crio: { runtime: { log_level: "info" } } },
    // That a limit is given counts, not that it is zero.
    { crio: { runtime: { pids_limit: 0 } } },
  ]);
  const conflict = { field: "spec.containerRuntimeConfig.pidsLimit", older: "old", newer: "new", pool: "worker" };
  expect([...outcomes].map(([name, { conflicts }]) => [name, conflicts])).toEqual([
    ["old", [conflict]],
    ["new", [conflict]],
  ]);
});

/** TOML of headers and of values that are also JSON. */
function tables(text: string): object {
  const root: Record<string, unknown> = {};
  let table = root;
  for (const line of text.split("\n").filter(Boolean)) {
    const header = /^\[(.*)\]$/.exec(line)?.[1];
    if (header === undefined) {
      const [key = "", value = ""] = line.split(" = ");
      table[key] = JSON.parse(value);
    } else {
      table = root;
      for (const name of header.split(".")) table = (table[name] ??= {}) as Record<string, unknown>;
    }
  }
  return root;
}
