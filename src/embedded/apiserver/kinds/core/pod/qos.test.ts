import { describe, expect, it } from "vitest";
import { qosClass } from "./qos.ts";

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
});
