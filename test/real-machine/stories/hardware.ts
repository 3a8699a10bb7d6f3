import { expect, test } from "vitest";
import type { Stage } from "../harness/stage.ts";

export function hardwareStory(stage: () => Stage): void {
  test("the node reports the memory that each NUMA node and the whole machine have", async () => {
    const { cluster, machine } = stage();
    const total = (path: string): Promise<string> =>
      machine.run(`sed -n 's/.*MemTotal: *\\([0-9]*\\) kB/\\1Ki/p' ${path}`);
    const node = "/sys/devices/system/node/node";
    const reported = async (): Promise<unknown> =>
      (await cluster.profile(({ status }) => status?.hardware !== undefined)).status?.hardware;
    const expected = {
      architecture: "amd64",
      vendor: "GenuineIntel",
      memory: await total("/proc/meminfo"),
      numaNodes: [
        { id: 0, memory: await total(`${node}0/meminfo`), cores: ["0/0:0", "0/1:1"] },
        { id: 1, memory: await total(`${node}1/meminfo`), cores: ["1/0:2", "1/1:3"] },
      ],
    };
    // Each boot takes memory for itself from another NUMA node: until the agent reports, the status is that of the boot before.
    await expect.poll(reported).toMatchObject(expected);
  });
}
