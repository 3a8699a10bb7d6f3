import { describe, expect, test } from "vitest";
import { readTopology } from "./topology-file.ts";

const group = (fields: object) => ({ groups: [{ name: "w-{}", ...fields }] });

describe("a topology", () => {
  test("is groups of nodes with the same hardware", () => {
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
          runtime: "cri-o",
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
        runtime: "cri-o",
        kubelet: "kubernetes",
      },
      labels: { "example.com/rack": "7" },
      taints: [{ key: "example.com/rt", effect: "NoSchedule" }],
      resources: { "example.com/gpu": "2", "hugepages-1Gi": "4Gi" },
    });
    expect(groups[1]).toMatchObject({ names: ["last"], topology: { cpus: 4, memoryMiB: 8192 } });
  });

  test.each([
    [{}, [0, 4]],
    [{ reservedCpus: "0-1,5" }, [0, 1, 5]],
    [{ reservedCpus: 3 }, [3]],
  ])("reserves a core for the static CPU manager, or what it says: %j", (fields, reservedCpus) => {
    const [read] = readTopology(group({ cpus: 8, threadsPerCore: 2, cpuManager: "static", ...fields }));
    expect(read?.topology).toMatchObject({ reservedCpus });
  });

  test("names the pool of its nodes, which are workers too", () => {
    const [rt, worker, plain] = readTopology({
      groups: [{ name: "a", pool: "rt", labels: { rack: 1 } }, { name: "b", pool: "worker" }, { name: "c" }],
    });
    const role = (name: string): string => `node-role.kubernetes.io/${name}`;
    expect([rt?.pool, rt?.labels]).toEqual(["rt", { [role("worker")]: "", [role("rt")]: "", rack: "1" }]);
    expect([worker?.labels, plain?.labels]).toEqual([{ [role("worker")]: "" }, {}]);
  });

  test("has queues of its network card and a disk for data where it says so", () => {
    const [read] = readTopology(group({ networkQueues: 8, dataDisk: "/mnt/data" }));
    expect(read?.topology).toMatchObject({ networkQueues: 8, dataDisk: "/mnt/data" });
    expect(readTopology(group({}))[0]?.topology).not.toHaveProperty("networkQueues");
  });

  test.each([
    [null, "must be an object with groups"],
    [{}, "groups: must have at least one group"],
    [{ groups: [], extra: 1 }, "extra: unknown field, must be one of groups"],
    [{ groups: [7] }, "groups[0]: must be an object"],
    [group({ cpu: 4 }), "groups[0].cpu: unknown field, must be one of name, count, cpus"],
    [{ groups: [{ cpus: 4 }] }, "groups[0].name: must be a name such as worker-{}"],
    [{ groups: [{ name: "w", count: 2 }] }, 'groups[0].name: "w" must contain {} for the number of each node'],
    [{ groups: [{ name: "W_1" }] }, 'groups[0].name: "W_1" is not a valid node name'],
    [{ groups: [{ name: "w-{}" }, { name: "w-1" }] }, 'groups[1].name: node "w-1" is defined twice'],
    [group({ count: 0 }), "groups[0].count: must be a number from 1 to 99999"],
    [group({ cpus: 1.5 }), "groups[0].cpus: must be a number from 1 to 4096"],
    [group({ memory: "much" }), 'groups[0].memory: "much" is not a quantity such as 16Gi'],
    [group({ memory: "1Ki" }), 'groups[0].memory: "1Ki" is not a quantity such as 16Gi'],
    [group({ architecture: "vax" }), "groups[0].architecture: must be amd64 or arm64"],
    [group({ labels: ["a"] }), "groups[0].labels: must be an object"],
    [group({ pool: "a b" }), "groups[0].pool: must be a name such as low-latency"],
    [group({ labels: { a: {} } }), "groups[0].labels.a: must be a string"],
    [group({ taints: [{ key: "a", effect: "Never" }] }), "groups[0].taints[0].effect: must be one of"],
    [group({ taints: [{ effect: "NoSchedule" }] }), "groups[0].taints[0].key: must not be empty"],
    [group({ resources: { a: "b" } }), 'groups[0].resources.a: "b" is not a quantity'],
    [group({ hugepages: { big: "1Gi" } }), 'groups[0].hugepages: "big" is not a page size such as 2Mi'],
    [group({ hugepages: { "1": "1Gi" } }), 'groups[0].hugepages: "1" is not a page size such as 2Mi'],
    [group({ hugepages: { "2Mi": "-2Mi" } }), 'groups[0].hugepages.2Mi: "-2Mi" is not a quantity'],
    [group({ hugepages: { "2Mi": "4Gi", "1Gi": "4Gi" } }), "groups[0].hugepages: take all of 8192Mi memory"],
    [group({ threadsPerCore: 3 }), "groups[0].threadsPerCore: must divide 4 CPUs"],
    [group({ threadsPerCore: 2, sockets: 3 }), "groups[0].sockets: must be at most the number of cores, 2"],
    [group({ cpuManager: "dynamic" }), "groups[0].cpuManager: must be one of none, static"],
    [group({ reservedCpus: "0" }), "groups[0].reservedCpus: needs cpuManager: static"],
    [group({ cpuManager: "static", reservedCpus: "0,4" }), 'groups[0].reservedCpus: must be a list such as "0,4"'],
    [group({ cpuManager: "static", reservedCpus: "" }), 'groups[0].reservedCpus: must be a list such as "0,4"'],
    [group({ networkQueues: 0 }), "groups[0].networkQueues: must be a number from 1 to 1024"],
    [group({ dataDisk: "mnt/../data" }), "groups[0].dataDisk: must be a folder such as /mnt/data"],
    [group({ sockets: 2, numaNodes: 3 }), "groups[0].numaNodes: must be a divisor or a multiple of 2 sockets"],
  ])("that is invalid is rejected with the path of the field: %j", (document, message) => {
    expect(() => readTopology(document)).toThrow(message);
  });
});
