import { expect, test } from "vitest";
import { type PerformanceProfileSpec, performanceProfileKind } from "../../../src/domain/performance-profile/api.ts";
import { splitArguments } from "../../../src/language/tuned/boot-arguments.ts";
import { differences, fileState, inForce } from "../harness/guest-state.ts";
import type { Stage } from "../harness/stage.ts";
import { virtualMachineAs } from "../harness/virtual-machine.ts";
import { contentsOf } from "./contents.ts";
import { poolName, rolledOut } from "./rolled-out.ts";
import { asOnVirtualMachine, hasFiles } from "./virtual-machine.ts";

const profile = (spec: PerformanceProfileSpec): object => ({
  apiVersion: performanceProfileKind.apiVersion,
  kind: performanceProfileKind.kind,
  metadata: { name: "story" },
  spec: { nodeSelector: { [`node-role.kubernetes.io/${poolName}`]: "" }, ...spec },
});
const derived = `50-performance-story`;

const pages = (first: number, second: number): NonNullable<PerformanceProfileSpec["hugepages"]> => ({
  defaultHugepagesSize: "2M",
  pages: [
    { size: "2M", count: first, node: 0 },
    { size: "2M", count: second, node: 1 },
  ],
});

export function performanceProfileStories(stage: () => Stage): void {
  test("a PerformanceProfile is in force after exactly one boot, edited after one more, and deleted it gives the machine back", async () => {
    const { cluster, machine } = stage();
    await rolledOut(cluster, () => true);
    const [files, kernel, cmdline] = [
      await fileState(machine),
      await inForce(machine),
      await machine.read("/proc/cmdline"),
    ];
    const virtual = await virtualMachineAs(machine);
    const boots = machine.boots.length;
    const added = async (): Promise<string[]> =>
      splitArguments(await machine.read("/proc/cmdline")).slice(splitArguments(cmdline).length);

    const first = profile({ cpu: { reserved: "0", isolated: "1-2", offlined: "3" }, hugepages: pages(8, 4) });
    await cluster.apply(performanceProfileKind, first);
    const config = await rolledOut(cluster, (sources) => sources.includes(derived));
    const contents = await contentsOf(cluster, config);
    expect(await added()).toEqual(contents.kernelArguments);
    expect(contents.kernelArguments).toEqual(
      expect.arrayContaining(["isolcpus=managed_irq,1-2", "nohz_full=1-2", "systemd.cpu_affinity=0"]),
    );
    expect(await inForce(machine)).toEqual({ online: "0-2", isolated: "", nohzFull: "1-2", pages: "8 4", failed: "" });
    expect(machine.boots).toHaveLength(boots + 1);
    await hasFiles(contents, machine);
    await asOnVirtualMachine(stage(), { name: config, contents, before: files, virtual });

    const edited = profile({ cpu: { reserved: "0-1", isolated: "2", offlined: "3" }, hugepages: pages(2, 6) });
    await cluster.apply(performanceProfileKind, edited);
    const next = await rolledOut(cluster, (_, name) => name !== config);
    expect(await added()).toEqual((await contentsOf(cluster, next)).kernelArguments);
    expect(await inForce(machine)).toEqual({ online: "0-2", isolated: "", nohzFull: "2", pages: "2 6", failed: "" });
    expect(machine.boots).toHaveLength(boots + 2);

    await cluster.client.delete(performanceProfileKind, "story");
    await rolledOut(cluster, (sources) => !sources.includes(derived));
    expect(await machine.read("/proc/cmdline")).toBe(cmdline);
    expect(await inForce(machine)).toEqual(kernel);
    expect(differences(files, await fileState(machine))).toEqual([]);
    expect(machine.boots).toHaveLength(boots + 3);
  });
}
