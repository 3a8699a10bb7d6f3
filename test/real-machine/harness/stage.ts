import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneShotService } from "../../../src/node/on-node/before-kubelet/one-shot-unit.ts";
import { Program } from "../../../src/program/cli/testing/program.ts";
import { buildImage } from "../../image/build-image.ts";
import { Cluster } from "./cluster.ts";
import { guestDisk } from "./guest-image.ts";
import { diskOver, Machine } from "./machine.ts";
import { importImage, programDisk } from "./program-disk.ts";

/** A cluster on the host whose only node is the guest. */
export interface Stage {
  readonly attune: Program;
  readonly cluster: Cluster;
  readonly machine: Machine;
  readonly stop: () => Promise<void>;
}

/** The first agent may have found containerd still busy with its start. */
const untilUnitIsPlaced = `until [ -e /etc/systemd/system/${oneShotService} ]; do systemctl restart attune-agent; sleep 15; done`;

export async function startStage(): Promise<Stage> {
  const base = await guestDisk();
  const folder = mkdtempSync(join(tmpdir(), "attune-machine-"));
  const attune = await Program.build();
  const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true }), () => attune.remove()];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    mkdirSync(join(folder, "server"));
    const cluster = await Cluster.start(attune, join(folder, "server"));
    undo.push(() => cluster.stop());
    const disk = diskOver({ file: base, format: "raw" }, join(folder, "disk.qcow2"));
    const image = join(folder, "image.tar");
    await buildImage(image);
    const agent = { words: await cluster.agentWords(), kubeconfig: await cluster.agentKubeconfig(), image };
    const machine = await Machine.start({ folder, disk, programDisk: programDisk(folder, attune.path, agent) });
    undo.push(() => machine.stop());
    await machine.run(importImage, 900);
    await machine.run(untilUnitIsPlaced, 900);
    return { attune, cluster, machine, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
