import { expect, test } from "vitest";
import { machineConfigKind, roleLabel } from "../../../src/domain/machine-config/api.ts";
import { differences, fileState } from "../harness/guest-state.ts";
import type { Stage } from "../harness/stage.ts";
import { poolName, rolledOut } from "./rolled-out.ts";

interface Wanted {
  readonly files?: Readonly<Record<string, string>>;
  readonly units?: readonly object[];
  readonly kernelArguments?: readonly string[];
}

export function machineConfig(name: string, { files = {}, units = [], kernelArguments = [] }: Wanted): object {
  return {
    apiVersion: machineConfigKind.apiVersion,
    kind: machineConfigKind.kind,
    metadata: { name, labels: { [roleLabel]: poolName } },
    spec: {
      kernelArguments,
      config: {
        ignition: { version: "3.2.0" },
        storage: {
          files: Object.entries(files).map(([path, text]) => ({
            path,
            mode: path.includes("/bin/") ? 0o755 : 0o640,
            overwrite: true,
            contents: { source: `data:,${encodeURIComponent(text)}` },
          })),
        },
        systemd: { units },
      },
    },
  };
}

const unit = `[Unit]
Description=A story
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/touch /run/story
[Install]
WantedBy=multi-user.target
`;

const unrestarted = "/etc/nmstate/openshift/story.yml";
const replaced = "/etc/default/irqbalance";

export function machineConfigStories(stage: () => Stage): void {
  test("a MachineConfig whose file needs no restart reaches the guest without one, and deleted it leaves no trace (machine-config W-13, machine-config W-25)", async () => {
    const { cluster, machine } = stage();
    await rolledOut(cluster, () => true);
    const [files, boots] = [await fileState(machine), machine.boots.length];
    await cluster.apply(machineConfigKind, machineConfig("99-small", { files: { [unrestarted]: "a: 1\n" } }));
    await rolledOut(cluster, (sources) => sources.includes("99-small"));
    expect(await machine.run(`stat -c '%a %U' ${unrestarted} && cat ${unrestarted}`)).toBe("640 root\na: 1");
    await cluster.client.delete(machineConfigKind, "99-small");
    await rolledOut(cluster, (sources) => !sources.includes("99-small"));
    expect(differences(files, await fileState(machine))).toEqual([]);
    expect(machine.boots).toHaveLength(boots);
  });

  test("file, unit and boot argument of a MachineConfig are in place after one boot, and the originals are back after one more (machine-config W-1, machine-config W-27)", async () => {
    const { cluster, machine } = stage();
    await rolledOut(cluster, (sources) => !sources.includes("99-small"));
    const files = await fileState(machine);
    const [boots, before] = [machine.boots.length, await machine.read("/proc/cmdline")];
    const wanted = {
      files: { [replaced]: "story\n", "/usr/local/bin/story": "#!/bin/sh\n" },
      units: [{ name: "story.service", enabled: true, contents: unit }],
      kernelArguments: ["attune.story=3", 'attune.quoted="a b"'],
    };
    await cluster.apply(machineConfigKind, machineConfig("99-story", wanted));
    await rolledOut(cluster, (sources) => sources.includes("99-story"));
    expect(machine.boots).toHaveLength(boots + 1);
    // GRUB quotes a whole argument, which the kernel takes for the same.
    expect(await machine.read("/proc/cmdline")).toBe(`${before} attune.story=3 "attune.quoted=a b"`);
    expect(await machine.read(replaced)).toBe("story");
    expect(await machine.run("stat -c %a /usr/local/bin/story; systemctl is-active story; ls /run/story")).toBe(
      "755\nactive\n/run/story",
    );

    await cluster.client.delete(machineConfigKind, "99-story");
    await rolledOut(cluster, (sources) => !sources.includes("99-story"));
    expect(machine.boots).toHaveLength(boots + 2);
    expect(await machine.read("/proc/cmdline")).toBe(before);
    expect(differences(files, await fileState(machine))).toEqual([]);
  });
}
