import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../language/object/json.ts";
import { readKubeletFields } from "./kubelet-fields.ts";

describe("fields for a kubelet", () => {
  const understood: [string, JsonObject, JsonObject][] = [
    ["are spelled as it expects", { MAXPODS: 250, Podpidslimit: -1 }, { maxPods: 250, podPidsLimit: -1 }],
    [
      "nested ones too",
      { Authentication: { X509: { clientcafile: "/ca" } } },
      { authentication: { x509: { clientCAFile: "/ca" } } },
    ],
    [
      "items of lists too",
      { reservedMemory: [{ NumaNode: 1, limits: { memory: 5 } }] },
      { reservedMemory: [{ numaNode: 1, limits: { memory: 5 } }] },
    ],
    [
      "keys of maps stay as they are",
      { evictionHard: { "Memory.Available": "1Gi" } },
      { evictionHard: { "Memory.Available": "1Gi" } },
    ],
    [
      "zero is a value, null is none",
      { maxPods: 0, failSwapOn: false, evictionSoft: null, kubeReserved: { cpu: null } },
      { maxPods: 0, failSwapOn: false, kubeReserved: {} },
    ],
    ["of two spellings the later wins", { maxPods: 1, maxpods: 2 }, { maxPods: 2 }],
    [
      "what others define is passed on",
      { logging: { format: "json" }, registerWithTaints: [{ key: "a" }] },
      { logging: { format: "json" }, registerWithTaints: [{ key: "a" }] },
    ],
  ];
  it.each(understood)("%s", (_, given, expected) => {
    expect(readKubeletFields(given)).toEqual({ fields: expected, unknown: [], faults: [] });
  });

  it("that no kubelet knows are left out and named", () => {
    const given = JSON.parse(
      '{"__proto__":1,"maxPod":1,"authentication":{"x509":{"ca":"/ca"}},"constructor":{}}',
    ) as JsonObject;
    const { fields, unknown } = readKubeletFields(given);
    expect(fields).toEqual({ authentication: { x509: {} } });
    expect(unknown).toEqual(["__proto__", "maxPod", "authentication.x509.ca", "constructor"]);
  });

  it.each([
    [{ maxPods: "many" }, "maxPods"],
    [{ maxPods: 2 ** 31 }, "maxPods"],
    [{ maxPods: 1.5 }, "maxPods"],
    [{ cpuManagerReconcilePeriod: 5 }, "cpuManagerReconcilePeriod"],
    [{ syncFrequency: "5 days" }, "syncFrequency"],
    [{ kubeReserved: { memory: 500 } }, "kubeReserved.memory"],
    [{ allowedUnsafeSysctls: "net.*" }, "allowedUnsafeSysctls"],
    [{ evictionHard: ["1Gi"] }, "evictionHard"],
    [{ reservedMemory: [{ numaNode: "0" }] }, "reservedMemory[0].numaNode"],
  ])("%j cannot be read", (given, field) => {
    expect(readKubeletFields(given).faults.map((fault) => fault.field)).toEqual([
      `metadata.annotations[kubeletconfig.experimental].${field}`,
    ]);
  });
});
