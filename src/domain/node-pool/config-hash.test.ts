import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { writeYaml } from "../../language/object/write-yaml.ts";
import { type ConfigMap, formatProblem } from "../hosted/envelope/read-manifests.ts";
import { keys, protocols } from "../hosted/protocol.ts";
import { derivedSetAnnotation } from "../rollout/derived-set.ts";
import { apiVersion, type HostedCluster, type NodePool } from "./api.ts";
import { configHashes } from "./config-hash.ts";
import { payloadOf } from "./payload.ts";
import { readConfig } from "./read-config.ts";

const hostedCluster: HostedCluster = { apiVersion, kind: "HostedCluster", metadata: { name: "demo" } };

function hash(...objects: KubeObject[]): string {
  return configHashes({
    objects,
    version: "4.22.0",
    hostedCluster,
    digest: (parts) => {
      const sum = createHash("sha256");
      for (const part of parts) sum.update(part);
      return sum.digest("hex");
    },
  }).full;
}

function machineConfig(spec: object, name = "m", annotations?: Record<string, string>): KubeObject {
  const metadata = { name, ...(annotations ? { annotations } : {}) };
  return { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", metadata, spec };
}

const args = (...kernelArguments: string[]): KubeObject => machineConfig({ kernelArguments });
const file = (source: string, more: object = {}): KubeObject =>
  machineConfig({
    config: { ignition: { version: "3.2.0" }, storage: { files: [{ path: "/etc/a", contents: { source }, ...more }] } },
  });

describe("the hash of a configuration", () => {
  it.each<[string, KubeObject[], KubeObject[]]>([
    ["the order of objects", [args("a=1"), machineConfig({}, "n")], [machineConfig({}, "n"), args("a=1")]],
    ["the order of boot arguments with other keys", [args("a=1", "b=2")], [args("b=2", "a=1")]],
    ["boot arguments in one entry", [args("a=1", "b=2")], [args("a=1 b=2")]],
    ["how a file is encoded", [file("data:,x")], [file("data:;base64,eA==")]],
    ["defaults that are written", [file("data:,x")], [file("data:,x", { mode: 420 })]],
    ["annotations", [args("a=1")], [machineConfig({ kernelArguments: ["a=1"] }, "m", { version: "2" })]],
    ["the same object twice", [args("a=1")], [args("a=1"), args("a=1")]],
  ])("does not depend on %s", (_, one, other) => {
    expect(hash(...one)).toBe(hash(...other));
  });

  it.each<[string, KubeObject[], KubeObject[]]>([
    ["a boot argument", [args("a=1")], [args("a=2")]],
    ["the order of arguments of one key", [args("a=1", "a=2")], [args("a=2", "a=1")]],
    [
      "which pages a count is of",
      [args("hugepagesz=1G", "hugepages=4", "hugepagesz=2M", "hugepages=8")],
      [args("hugepagesz=2M", "hugepages=4", "hugepagesz=1G", "hugepages=8")],
    ],
    ["the content of a file", [file("data:,x")], [file("data:,y")]],
    ["its mode", [file("data:,x")], [file("data:,x", { mode: 384 })]],
    ["the name of a MachineConfig, which orders them", [machineConfig({}, "a")], [machineConfig({}, "b")]],
    ["Ignition that cannot be read", [machineConfig({ config: { x: 1 } })], [machineConfig({ config: { x: 2 } })]],
  ])("depends on %s", (_, one, other) => {
    expect(hash(...one)).not.toBe(hash(...other));
  });
});

describe("a payload", () => {
  const nodePool: NodePool = {
    apiVersion,
    kind: "NodePool",
    metadata: { name: "np1", namespace: "clusters" },
    spec: {},
  };

  function generated(name: string, label: string, object: KubeObject, key = "config"): ConfigMap {
    const labels = { [label]: "true", [keys.nodePool]: "np1" };
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { [key]: writeYaml(object) } };
  }

  const set = { [derivedSetAnnotation]: "perf/1" };
  const kubelet = {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "KubeletConfig",
    metadata: { name: "performance-perf", annotations: set },
    spec: { kubeletConfig: { maxPods: 1 } },
  };
  const tuned = { apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name: "t", annotations: set } };
  const parts = [
    generated("tuned-perf", keys.tunedConfig, tuned, "tuned"),
    generated("mc-perf", keys.generatedMachineConfig, machineConfig({}, "50-performance-perf", set)),
    generated("kc-perf", keys.generatedKubeletConfig, kubelet),
  ];

  function payload(controlPlane: readonly ConfigMap[], lastGood?: readonly KubeObject[]): ReturnType<typeof payloadOf> {
    const protocol = protocols.documented;
    const config = readConfig({ nodePool, configMap: () => undefined, controlPlane, isTuned: true, protocol });
    return payloadOf({ nodePool: "np1", config, controlPlane, lastGood: () => lastGood });
  }

  it("waits until all that is derived from a profile is written, so that it is one rollout", () => {
    for (const some of [parts.slice(0, 1), parts.slice(0, 2), parts.slice(1), parts.slice(2)])
      expect(payload(some, [])).toEqual({ type: "kept", objects: [], waitsFor: ["perf"] });
    expect(payload(parts, [])).toMatchObject({
      type: "new",
      objects: [{ kind: "MachineConfig" }, { kind: "KubeletConfig" }],
    });
  });

  it("of a KubeletConfig of a user beside a generated one is the last good one (hosted W-11)", () => {
    const user = { ...kubelet, metadata: { name: "mine" } };
    const beside = generated("mine", keys.generatedKubeletConfig, user);
    const lastGood = [machineConfig({}, "last")];
    expect(payload([...parts, beside], lastGood)).toEqual({ type: "kept", objects: lastGood, waitsFor: [] });
    expect(payload([...parts, beside])).toEqual({ type: "none" });
  });

  it.each([
    ["of a generated one", "50-performance-perf", ["mc-perf"]],
    ["of another one of the user", "60-user", ["a"]],
  ])("is the last good one while a MachineConfig of the user has the name %s, and says which", (_, name, others) => {
    const user = new Map(
      ["a", "b"].map((one, index) => {
        const text = writeYaml(machineConfig({ kernelArguments: [`x=${index}`] }, index === 0 ? "60-user" : name));
        return [one, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: one }, data: { config: text } }];
      }),
    );
    const { problems } = readConfig({
      nodePool: { ...nodePool, spec: { config: [{ name: "a" }, { name: "b" }] } },
      configMap: (one) => user.get(one),
      controlPlane: parts,
      isTuned: true,
      protocol: protocols.documented,
    });
    expect(problems.map(formatProblem)).toEqual(
      others.map(
        (other) =>
          `ConfigMap b, document 1, MachineConfig ${name}: ConfigMap ${other} has another one of this name: rename one of them`,
      ),
    );
  });

  it("has all of a user but what is wrong, which stays as it was, and what is generated (hosted W-8)", () => {
    const bad = machineConfig({ config: { ignition: { version: "9.9.9" } } }, "60-bad");
    const kubelet = { apiVersion: bad.apiVersion, kind: "KubeletConfig", metadata: { name: "k" } };
    const user = new Map(
      Object.entries({
        good: machineConfig({ kernelArguments: ["new"] }, "60-good"),
        bad,
        kubelet: { ...kubelet, spec: { kubeletConfig: { maxPodz: 1 } } },
      }).map(([name, object]): [string, ConfigMap] => [
        name,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { config: writeYaml(object) } },
      ]),
    );
    const read = (
      upgradeType: "InPlace" | "Replace",
      names: readonly string[] = [...user.keys()],
    ): ReturnType<typeof readConfig> => {
      const config = names.map((name) => ({ name }));
      return readConfig({
        nodePool: { ...nodePool, spec: { clusterName: "demo", config, management: { upgradeType } } },
        configMap: (one) => user.get(one),
        controlPlane: parts.slice(1, 2),
        isTuned: true,
        protocol: protocols.documented,
      });
    };
    expect(read("InPlace").problems.map(formatProblem)).toEqual([
      expect.stringMatching(/^ConfigMap bad, document 1, MachineConfig 60-bad: spec\.config\.ignition\.version: /),
      expect.stringMatching(
        /^ConfigMap kubelet, document 1, KubeletConfig k: spec\.kubeletConfig\.maxPodz: .*unknown field$/,
      ),
    ]);
    expect(read("Replace").problems).toEqual([]);
    const old = (name: string): KubeObject => machineConfig({ kernelArguments: ["old"] }, name);
    const lastGood = [old("60-good"), old("60-bad"), old("50-performance-perf")];
    const decided = (config: ReturnType<typeof readConfig>): unknown => {
      const payload = payloadOf({ nodePool: "np1", config, controlPlane: [], lastGood: () => lastGood });
      return payload.type === "kept" && payload.objects.map(({ metadata, spec }) => [metadata.name, spec]);
    };
    expect(decided(read("InPlace"))).toEqual([
      ["60-good", { kernelArguments: ["new"] }],
      ["60-bad", { kernelArguments: ["old"] }],
      ["50-performance-perf", {}],
    ]);
    // The NodePool no longer names what brought it.
    lastGood.push(old("60-gone"));
    expect(decided(read("InPlace"))).toHaveLength(3);
    // One that is not there may be known a moment later: then all of the user is one rollout.
    expect(decided(read("InPlace", ["good", "missing"]))).toEqual([
      ["60-good", { kernelArguments: ["old"] }],
      ["60-bad", { kernelArguments: ["old"] }],
      ["60-gone", { kernelArguments: ["old"] }],
      ["50-performance-perf", {}],
    ]);
    const config = read("InPlace");
    expect(payloadOf({ nodePool: "np1", config, controlPlane: [], lastGood: () => undefined })).toEqual({
      type: "none",
    });
  });

  it("has the role of workers, and no selector of pools", () => {
    const decided = payload(parts);
    const objects = decided.type === "none" ? [] : decided.objects;
    expect(objects).toHaveLength(2);
    for (const { metadata, spec } of objects) {
      expect(metadata.labels).toEqual({ "machineconfiguration.openshift.io/role": "worker" });
      expect(spec).not.toHaveProperty("machineConfigPoolSelector");
    }
  });
});
