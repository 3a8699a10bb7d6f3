import { describe, expect, test } from "vitest";
import { apiVersion, type KubeletConfig } from "../api.ts";
import { readKubeletConfig } from "./read-kubelet-config.ts";

const worker = { name: "worker", isControlPlane: false };

function read(spec: object): ReturnType<typeof readKubeletConfig> {
  const object: KubeletConfig = { apiVersion, kind: "KubeletConfig", metadata: { name: "a" }, spec };
  return readKubeletConfig(object, [worker]);
}

describe("a KubeletConfig", () => {
  test("has all its problems named, each with its field", () => {
    const { problems } = read({
      logLevel: 11,
      autoSizingReserved: true,
      tlsSecurityProfile: { type: "Newest" },
      kubeletConfig: {
        apiVersion: "v1",
        cgroupDriver: "cgroupfs",
        failSwapOn: false,
        memorySwap: { swapBehavior: "LimitedSwap" },
        cpuManagerPolicy: "dynamic",
        reservedSystemCPUs: "3-1",
        systemReserved: { memory: "lots" },
        staticPodPath: "/x",
        maxPods: "many",
      },
    });
    expect(problems.map(({ field }) => field).toSorted()).toEqual(
      [
        "spec.logLevel",
        "spec.tlsSecurityProfile.type",
        ...["apiVersion", "cgroupDriver", "failSwapOn", "memorySwap.swapBehavior", "cpuManagerPolicy"].map(
          (name) => `spec.kubeletConfig.${name}`,
        ),
        ...["reservedSystemCPUs", "systemReserved", "systemReserved[memory]", "staticPodPath", "maxPods"].map(
          (name) => `spec.kubeletConfig.${name}`,
        ),
      ].toSorted(),
    );
  });

  test("names what has no effect", () => {
    const custom = { minTLSVersion: "VersionTLS12", ciphers: ["ECDHE-RSA-AES128-GCM-SHA256", "DHE-RSA-AES128-SHA"] };
    const { settings, problems, ignored } = read({
      kubeletConfig: { maxPods: 0, noSuchField: 1, podPidsLimit: 0 },
      tlsSecurityProfile: { type: "Custom", custom },
    });
    expect(problems).toEqual([]);
    expect(ignored).toEqual([
      "spec.kubeletConfig.noSuchField: no kubelet has this field",
      "spec.tlsSecurityProfile.custom.ciphers: the kubelet does not know DHE-RSA-AES128-SHA",
      "spec.kubeletConfig.maxPods: the kubelet reads 0 as 110",
    ]);
    expect(settings).toEqual({
      kubeletConfig: {
        maxPods: 0,
        podPidsLimit: 0,
        tlsMinVersion: "VersionTLS12",
        tlsCipherSuites: ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"],
      },
    });
  });

  test.each([
    ["a list", []],
    ["a number", 3],
    ["no YAML", "a: ["],
    ["YAML of a list", "- a"],
  ])("that holds %s instead of fields is refused", (_, kubeletConfig) => {
    expect(read({ kubeletConfig }).problems.map(({ field }) => field)).toEqual(["spec.kubeletConfig"]);
  });

  test("survives names that objects of JavaScript have", () => {
    const given = JSON.parse('{"__proto__":{"maxPods":1},"constructor":1,"kubeReserved":{"__proto__":"1"}}') as object;
    expect(read({ kubeletConfig: given }).ignored).toEqual([
      "spec.kubeletConfig.__proto__: no kubelet has this field",
      "spec.kubeletConfig.constructor: no kubelet has this field",
    ]);
  });
});
