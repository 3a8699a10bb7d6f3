import { expect, test } from "vitest";
import { machineConfigKind, roleLabel } from "../../../src/domain/machine-config/api.ts";
import { differences, fileState } from "../harness/guest-state.ts";
import type { Stage } from "../harness/stage.ts";
import { poolName, rolledOut } from "./rolled-out.ts";

const machineConfig = (name: string, path: string, text: string): object => ({
  apiVersion: machineConfigKind.apiVersion,
  kind: machineConfigKind.kind,
  metadata: { name, labels: { [roleLabel]: poolName } },
  spec: {
    config: {
      ignition: { version: "3.2.0" },
      storage: {
        files: [{ path, mode: 0o640, overwrite: true, contents: { source: `data:,${encodeURIComponent(text)}` } }],
      },
    },
  },
});

const unrestarted = "/etc/nmstate/openshift/story.yml";

export function machineConfigStories(stage: () => Stage): void {
  test("a MachineConfig whose file needs no restart reaches the guest without one, and deleted it leaves no trace", async () => {
    const { cluster, machine } = stage();
    await rolledOut(cluster, () => true);
    const [files, boots] = [await fileState(machine), machine.boots.length];
    await cluster.apply(machineConfigKind, machineConfig("99-small", unrestarted, "a: 1\n"));
    await rolledOut(cluster, (sources) => sources.includes("99-small"));
    expect(await machine.run(`stat -c '%a %U' ${unrestarted} && cat ${unrestarted}`)).toBe("640 root\na: 1");
    await cluster.client.delete(machineConfigKind, "99-small");
    await rolledOut(cluster, (sources) => !sources.includes("99-small"));
    expect(differences(files, await fileState(machine))).toEqual([]);
    expect(machine.boots).toHaveLength(boots);
  });
}
