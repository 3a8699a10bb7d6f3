import { describe, expect, test } from "vitest";
import { readTopology } from "./topology-file.ts";

const group = (fields: object) => ({ groups: [{ name: "w-{}", ...fields }] });

describe("a topology", () => {
  test("is groups of nodes that are alike", () => {
    const groups = readTopology({
      groups: [
        {
          name: "rt-{}",
          count: 2,
          cpus: 16,
          memory: "32Gi",
          sockets: 2,
          threadsPerCore: 2,
          labels: { "example.com/rack": 7 },
          taints: [{ key: "example.com/rt", effect: "NoSchedule" }],
          resources: { "example.com/gpu": 2 },
          hugepages: { "1Gi": "4Gi" },
        },
        { name: "last" },
      ],
    });
    expect(groups[0]).toEqual({
      names: ["rt-1", "rt-2"],
      topology: {
        cpus: 16,
        sockets: 2,
        threadsPerCore: 2,
        numaNodes: 2,
        memoryMiB: 32768,
        architecture: "amd64",
        kernelRelease: "6.12.0",
        hugepages: new Map([[1_048_576, 4]]),
      },
      labels: { "example.com/rack": "7" },
      taints: [{ key: "example.com/rt", effect: "NoSchedule" }],
      resources: { "example.com/gpu": "2", "hugepages-1Gi": "4Gi" },
    });
    expect(groups[1]).toMatchObject({ names: ["last"], topology: { cpus: 4, memoryMiB: 8192 } });
  });

  test.each([
    [null, "a list of groups is needed"],
    [{}, "groups: at least one is needed"],
    [{ groups: [], extra: 1 }, "extra: not one of groups"],
    [{ groups: [7] }, "groups[0]: must be an object"],
    [group({ cpu: 4 }), "groups[0].cpu: not one of name, count, cpus"],
    [{ groups: [{ cpus: 4 }] }, "groups[0].name: a name such as worker-{} is needed"],
    [{ groups: [{ name: "w", count: 2 }] }, 'groups[0].name: "w" needs {}'],
    [{ groups: [{ name: "W_1" }] }, 'groups[0].name: "W_1" is not a name'],
    [{ groups: [{ name: "w-{}" }, { name: "w-1" }] }, 'groups[1].name: there are two nodes "w-1"'],
    [group({ count: 0 }), "groups[0].count: must be a number from 1 to 99999"],
    [group({ cpus: 1.5 }), "groups[0].cpus: must be a number from 1 to 4096"],
    [group({ memory: "much" }), 'groups[0].memory: "much" is not an amount'],
    [group({ memory: "1Ki" }), 'groups[0].memory: "1Ki" is not an amount'],
    [group({ architecture: "vax" }), "groups[0].architecture: must be amd64 or arm64"],
    [group({ labels: ["a"] }), "groups[0].labels: must be an object"],
    [group({ labels: { a: {} } }), "groups[0].labels.a: must be a text"],
    [group({ taints: [{ key: "a", effect: "Never" }] }), "groups[0].taints[0].effect: must be one of"],
    [group({ taints: [{ effect: "NoSchedule" }] }), "groups[0].taints[0].key: is needed"],
    [group({ resources: { a: "b" } }), 'groups[0].resources.a: "b" is not an amount'],
    [group({ hugepages: { big: "1Gi" } }), 'groups[0].hugepages: "big" is not a size'],
    [group({ hugepages: { "1": "1Gi" } }), 'groups[0].hugepages: "1" is not a size'],
    [group({ hugepages: { "2Mi": "-2Mi" } }), 'groups[0].hugepages.2Mi: "-2Mi" is not an amount'],
    [group({ hugepages: { "2Mi": "4Gi", "1Gi": "4Gi" } }), "groups[0].hugepages: leave nothing of 8192Mi"],
    [group({ threadsPerCore: 3 }), "groups[0].threadsPerCore: 4 CPUs are no whole number of cores"],
    [group({ threadsPerCore: 2, sockets: 3 }), "groups[0].sockets: every socket needs a core, and there are 2"],
    [group({ sockets: 2, numaNodes: 3 }), "groups[0].numaNodes: must divide 2 sockets"],
  ])("that is none says where: %j", (document, message) => {
    expect(() => readTopology(document)).toThrow(message);
  });
});
