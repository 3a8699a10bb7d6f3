import { describe, expect, test } from "vitest";
import { kubeletDefaults } from "../../src/domain/machine-config/kubelet-config/kubelet-defaults.ts";
import { generatedKubelet } from "../../src/domain/machine-config/kubelet-config/kubelet-config-kind.ts";
import { templatePath } from "../../src/domain/machine-config/kubelet-config/kubelet-files.ts";
import { roleLabel } from "../../src/domain/machine-config/api.ts";
import { generate } from "../../src/domain/machine-config/pool-configs/generate.ts";
import { filesOf, type IgnitionFile } from "../../src/language/ignition/config.ts";
import { contentsOf } from "../../src/language/ignition/file-contents.ts";
import { equal, type JsonObject } from "../../src/language/object/json.ts";
import { readYaml } from "../../src/language/object/yaml.ts";
import {
  after,
  type Case,
  casesOf,
  generatedBefore,
  objectOf,
  poolOf,
  type Short,
  templateOf,
  type World,
} from "./pool-config-cases.ts";

const cases = casesOf("kubelet-config.yaml");
const of = (...checks: string[]): Case[] => cases.filter(({ check }) => checks.includes(check));

const latency: Record<string, string> = { MediumUpdateAverageReaction: "20s", LowUpdateSlowReaction: "1m0s" };

/** The pool of a role, its templates, and one KubeletConfig for it. */
function worldOf({ role = "worker", pool, kubeletConfig, latencyProfile }: Record<string, unknown>): World {
  const short = (pool ?? { name: role }) as Short;
  const interval = latency[String(latencyProfile)];
  const text = interval === undefined ? "{}" : `nodeStatusUpdateFrequency: ${interval}`;
  return {
    pools: [poolOf(short)],
    objects: [objectOf("KubeletConfig", (kubeletConfig ?? { name: "k" }) as Short)],
    machineConfigs: [templateOf(short.name, templatePath, text)],
  };
}

function filesFor(world: World): readonly IgnitionFile[] {
  const [config] = generate(generatedKubelet, { ...world, version: "1" }).machineConfigs;
  return filesOf(config?.spec?.config);
}

function problemsOf(world: World): string[] {
  const { outcomes } = generate(generatedKubelet, { ...world, version: "1" });
  return [...outcomes.values()].flatMap(({ problems }) => problems.map(({ field }) => field));
}

function kubeletConf(files: readonly IgnitionFile[]): JsonObject {
  const file = files.find(({ path }) => path === templatePath);
  return readYaml((file && contentsOf(file)) ?? "") as JsonObject;
}

describe("a recorded KubeletConfig", () => {
  test.each(of("validate", "staticPodPath"))("$id is accepted, or all its problems are named", (one) => {
    expect(problemsOf(worldOf(one))).toEqual(one.refused);
  });

  test.each(of("defaults"))("$id is the configuration that the templates give", (one) => {
    expect(kubeletConf(filesFor(worldOf(one)))).toEqual(one["kubeletConf"]);
  });

  test.each(of("files"))("$id becomes files", (one) => {
    const world = worldOf(one);
    if (one.refused?.length) {
      expect(problemsOf(world)).toEqual(one.refused);
      return;
    }
    const files = filesFor(world);
    const texts = files.map((file) => ({
      path: file.path,
      ...(file.path === templatePath ? {} : { text: contentsOf(file) }),
    }));
    expect(texts).toEqual(one["files"]);
    expect(new Set(files.map(({ mode }) => mode))).toEqual(new Set([0o644]));
    const [before, now] = [kubeletDefaults(String(one["role"])), kubeletConf(files)];
    expect(Object.fromEntries(Object.entries(now).filter(([name, value]) => !equal(value, before[name])))).toEqual(
      one["kubeletConfSet"] ?? {},
    );
    expect(Object.keys(before).filter((name) => !(name in now))).toEqual(one["kubeletConfRemoved"] ?? []);
  });

  test.each(of("name"))("$id gets one MachineConfig for its pool", (one) => {
    const objects = (one["kubeletConfigs"] as Short[]).map((short) => objectOf("KubeletConfig", short));
    const before = ((one["machineConfigs"] ?? []) as string[]).map((name) => generatedBefore(name));
    const world = { pools: [poolOf(one["pool"] as Short)], objects, machineConfigs: before };
    const object = after(generatedKubelet, world).objects.find(({ metadata }) => metadata.name === one["for"]);
    expect(object?.metadata.finalizers).toEqual([one["machineConfig"]]);
  });

  test.each(of("sync"))("$id ends in these objects", (one) => {
    const before = ((one["machineConfigs"] ?? []) as Short[]).map(({ name, role }) => generatedBefore(name, role));
    const pools = (one["pools"] as Short[]).map(poolOf);
    const objects = (one["kubeletConfigs"] as Short[]).map((short) => objectOf("KubeletConfig", short));
    const templates = pools.map((pool) => templateOf(pool.metadata.name ?? "", templatePath, "{}"));
    const world = after(generatedKubelet, { pools, objects, machineConfigs: [...templates, ...before] });
    const own = world.machineConfigs.filter((config) => !templates.includes(config));
    expect({
      kubeletConfigs: Object.fromEntries(world.objects.map((object) => [object.metadata.name, summary(object)])),
      machineConfigs: Object.fromEntries(own.map((config) => [config.metadata.name, summaryOfConfig(config)])),
    }).toEqual(one["after"]);
  });
});

function summary({ metadata, status }: World["objects"][number]): object {
  return {
    conditions: (status?.conditions ?? []).map((condition) => `${condition.type} ${condition.status}`),
    finalizers: metadata.finalizers ?? [],
    annotations: metadata.annotations ?? {},
    observedGeneration: status?.observedGeneration ?? 0,
  };
}

function summaryOfConfig({ metadata, spec }: World["machineConfigs"][number]): object {
  const files = filesOf(spec?.config);
  const { maxPods } = files.length > 0 ? kubeletConf(files) : {};
  return {
    labels: { [roleLabel]: metadata.labels?.[roleLabel] },
    files: files.map(({ path }) => path),
    owners: (metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind}/${name}`),
    ...(maxPods === undefined ? {} : { maxPods }),
  };
}
