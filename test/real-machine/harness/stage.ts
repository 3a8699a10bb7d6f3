import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Program } from "../../../src/program/cli/testing/program.ts";
import { Cluster } from "./cluster.ts";
import { guestDisk } from "./guest-image.ts";
import { diskOver, Machine } from "./machine.ts";
import { programDisk } from "./program-disk.ts";

/** A cluster on the host whose only node is the guest. */
export interface Stage {
  readonly attune: Program;
  readonly cluster: Cluster;
  readonly machine: Machine;
  readonly stop: () => Promise<void>;
}

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
    const agent = { words: await cluster.agentWords(), kubeconfig: await cluster.agentKubeconfig() };
    const machine = await Machine.start({ folder, disk, programDisk: programDisk(folder, attune.path, agent) });
    undo.push(() => machine.stop());
    return { attune, cluster, machine, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
