import { expect, test } from "vitest";
import { tunedKind, tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import { ctr } from "../../../src/node/on-node/before-kubelet/image-run.ts";
import { oneShotService } from "../../../src/node/on-node/before-kubelet/one-shot-unit.ts";
import { defaultImage } from "../../../src/program/version.ts";
import { swappiness, swappinessAtKubelet } from "../harness/guest-files.ts";
import type { Machine } from "../harness/machine.ts";
import { importImage } from "../harness/program-disk.ts";
import type { Stage } from "../harness/stage.ts";
import { hasApplied, tuned } from "./tuning.ts";

const dropIn = `/etc/systemd/system/${oneShotService}.d/cut.conf`;
const bootId = "/proc/sys/kernel/random/boot_id";
const kubeletStarts = `until [ -e ${swappinessAtKubelet} ]; do sleep 1; done`;

interface Start {
  /** Of the one-shot unit. */
  readonly result: string;
  readonly output: string;
  /** Since the kernel started. */
  readonly seconds: {
    readonly containerd: number;
    readonly begun: number;
    readonly ended: number;
    readonly kubelet: number;
  };
  readonly swappinessAtKubelet: string;
  /** What the unit has left in containerd and mounted. */
  readonly left: string;
}

/** What systemd says of this boot, once the kubelet runs. */
async function startOf(machine: Machine): Promise<Start> {
  await machine.run(kubeletStarts, 900);
  const property = async (unit: string, name: string): Promise<string> =>
    machine.run(`systemctl show --property ${name} --value ${unit}`);
  const seconds = async (unit: string, name: string): Promise<number> =>
    Number(await property(unit, `${name}TimestampMonotonic`)) / 1_000_000;
  return {
    result: await property(oneShotService, "Result"),
    output: await machine.run(`journalctl --boot --unit ${oneShotService} --output cat`),
    seconds: {
      containerd: await seconds("containerd.service", "ActiveEnter"),
      begun: await seconds(oneShotService, "InactiveExit"),
      ended: await seconds(oneShotService, "InactiveEnter"),
      kubelet: await seconds("kubelet.service", "ExecMainStart"),
    },
    swappinessAtKubelet: await machine.read(swappinessAtKubelet),
    left: await machine.run(
      `${ctr} containers ls --quiet; grep attune-one-shot /proc/mounts; ${ctr} snapshots ls | grep attune-one-shot; true`,
    ),
  };
}

/** Restarts the guest without a shutdown when the unit's container runs, in the next boot only. Its id is in the file. */
const cutBoot = "/var/cut-boot";
const cutOnce = `
cat >/var/cut-once <<'EOF'
[ -e ${cutBoot} ] && exit
cat ${bootId} >${cutBoot} && sync
until ${ctr} tasks ls --quiet | grep attune-one-shot; do :; done
echo b >/proc/sysrq-trigger
EOF
cat >${dropIn} <<'EOF'
[Service]
ExecStartPre=systemd-run --no-block /bin/sh /var/cut-once
EOF
sync`;

/** The guest's agent is started after its kubelet: until then only the unit can have tuned it. */
export function beforeKubeletStories(stage: () => Stage): void {
  const tunedGuest = async (): Promise<Stage> => {
    const { cluster } = stage();
    await cluster.apply(tunedKind, tuned("[sysctl]\nvm.swappiness=7\n"));
    await cluster.profile(hasApplied("story"));
    return stage();
  };

  test("systemd tunes the restarted guest with the agent's image before it starts the kubelet", async () => {
    const { machine } = await tunedGuest();
    await machine.reboot();
    await wasTuned(machine);
  });

  test("a restart while the unit runs leaves nothing that keeps the next boot from being tuned", async () => {
    const { machine } = await tunedGuest();
    const before = await machine.read(bootId);
    await machine.run(cutOnce);
    await machine.reboot();
    // The guest may take commands before it is cut off, or not.
    await machine.run(kubeletStarts, 900).catch(() => undefined);
    await wasTuned(machine);
    const [cut, now] = [await machine.read(cutBoot), await machine.read(bootId)];
    expect(new Set([before, cut, now]).size).toBe(3);
    await machine.run(`rm ${dropIn} ${cutBoot} /var/cut-once && systemctl daemon-reload`);
  });

  test("where the unit fails the kubelet starts, and the agent tunes the guest", async () => {
    const { cluster, machine } = await tunedGuest();
    await machine.run(`${ctr} images rm ${defaultImage}`);
    await machine.reboot();
    expect(await startOf(machine)).toMatchObject({ result: "exit-code", swappinessAtKubelet: "60", left: "" });
    await machine.run(`until grep -qx 7 ${swappiness}; do sleep 1; done`, 900);
    await machine.run(importImage, 900);
    await machine.run(`systemctl reset-failed ${oneShotService}`);
    await cluster.client.delete(tunedKind, "story", { namespace: tuningNamespace });
    await cluster.profile(hasApplied("openshift-node"));
  });
}

async function wasTuned(machine: Machine): Promise<void> {
  const start = await startOf(machine);
  console.log(`systemd has started: ${JSON.stringify(start.seconds)}`);
  expect(start).toMatchObject({ result: "success", swappinessAtKubelet: "7", left: "" });
  expect(start.output).toContain("applied story");
  const { containerd, begun, ended, kubelet } = start.seconds;
  const inOrder = [0.001, containerd, begun, ended, kubelet];
  expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
}
