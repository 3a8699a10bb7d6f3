import { expect, test } from "vitest";
import type { HardwareExplanation } from "../../../domain/node-tuning/explain/hardware.ts";
import { hardwareText } from "./hardware-text.ts";

test.each<[HardwareExplanation, string[]]>([
  [
    {
      architecture: "amd64",
      vendor: "GenuineIntel",
      sockets: 2,
      cores: 8,
      threads: 15,
      offline: "15",
      caches: [
        { level: 3, size: "32768Ki", cpus: "0-3,8-11" },
        { level: 3, size: "32768Ki", cpus: "4-7,12-14" },
        { level: 2, size: "1536Ki", cpus: "0-1,8-9" },
      ],
      numaNodes: [
        { id: 0, memory: "16777216Ki", cpus: "0-3,8-11" },
        { id: 1, memory: "16400000Ki", cpus: "4-7,12-14" },
      ],
    },
    [
      "amd64 (GenuineIntel), 2 sockets, 8 cores, 15 threads, 2 L3 caches of 32 MiB, 1 L2 cache of 1.5 MiB, switched off: 15",
      "NUMA node 0: 16 GiB, CPUs 0-3,8-11; NUMA node 1: 15.6 GiB, CPUs 4-7,12-14",
    ],
  ],
  [
    {
      sockets: 1,
      cores: 1,
      threads: 1,
      otherMemory: "524288Ki",
      numaNodes: [
        { id: 0, cpus: "0" },
        { id: 1, memory: "1048576Ki", cpus: "" },
      ],
    },
    ["1 socket, 1 core, 1 thread", "NUMA node 0: CPUs 0; NUMA node 1: 1 GiB, without CPUs; but /proc/meminfo: 0.5 GiB"],
  ],
])("a node in two lines: %j", (hardware, lines) => {
  expect(hardwareText(hardware)).toEqual(lines);
});
