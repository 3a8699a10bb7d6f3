import { describe, expect, it } from "vitest";
import { partitioningQosClass, qosClass } from "./qos-class.ts";

const both = { cpu: "1", memory: "1Gi" };

describe("qosClass", () => {
  it.each([
    ["BestEffort", [{}]],
    ["BestEffort", [{ requests: { "nvidia.com/gpu": "1" } }]],
    ["BestEffort", [{ requests: { cpu: "0" } }]],
    ["Burstable", [{ requests: { cpu: "100m" } }]],
    ["Burstable", [{ limits: both, requests: { cpu: "500m", memory: "1Gi" } }]],
    ["Burstable", [{ limits: both, requests: both }, {}]],
    ["Burstable", [{ limits: { cpu: "1" }, requests: { cpu: "1" } }]],
    ["Guaranteed", [{ limits: both, requests: both }]],
    [
      "Guaranteed",
      [
        { limits: both, requests: { cpu: "1000m", memory: "1024Mi" } },
        { limits: both, requests: both },
      ],
    ],
  ])("is %s for containers with %j", (expected, resources) => {
    expect(qosClass({ containers: resources.map((one, index) => ({ name: `c${index}`, resources: one })) })).toBe(
      expected,
    );
  });

  it.each([
    ["Guaranteed", { limits: both, requests: both }],
    ["Burstable", { limits: { cpu: "1" }, requests: { cpu: "1" } }],
    ["BestEffort", { limits: { "hugepages-2Mi": "2Mi" } }],
  ])("is %s for a pod with %j, whatever its containers have", (expected, resources) => {
    expect(qosClass({ containers: [{ name: "c", resources: { requests: { cpu: "100m" } } }], resources })).toBe(
      expected,
    );
  });

  it("is that of the containers where the pod has no resources as a whole", () => {
    expect(qosClass({ containers: [{ name: "c", resources: { limits: both, requests: both } }], resources: {} })).toBe(
      "Guaranteed",
    );
  });
});

describe("partitioningQosClass", () => {
  it("takes a CPU request of zero for one that equals the limit, which the status does not", () => {
    const containers = [{ name: "a", resources: { limits: both, requests: { cpu: "0", memory: "1Gi" } } }];
    expect([partitioningQosClass(containers), qosClass({ containers })]).toEqual(["Guaranteed", "Burstable"]);
  });

  it("compares amounts as the API server stores them, in thousandths", () => {
    const containers = [{ name: "a", resources: { limits: both, requests: { cpu: "999999u", memory: "1Gi" } } }];
    expect([partitioningQosClass(containers), qosClass({ containers })]).toEqual(["Guaranteed", "Guaranteed"]);
  });
});
