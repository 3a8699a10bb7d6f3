import { execFileSync } from "node:child_process";
import { cpSync, linkSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ctr } from "../../../src/node/on-node/before-kubelet/image-run.ts";
import { imageVariable } from "../../../src/program/cli/agent/prepare-next-boot.ts";
import { defaultImage } from "../../../src/program/version.ts";
import { programFolder } from "./guest-files.ts";

const imageName = "image.tar";
/** Gives Attune's image to the guest's containerd, as the kubelet does before it starts the agent's pod. */
export const importImage = `systemctl start containerd && ${ctr} images import ${programFolder}/${imageName}`;

export interface AgentStart {
  /** The command and options of the program. */
  readonly words: readonly string[];
  /** Text of the file. */
  readonly kubeconfig: string;
  /** Path of the archive of its image. */
  readonly image: string;
}

/** A disk with the bundle, what its agent is started with, and the image that a unit of the agent runs. */
export function programDisk(folder: string, bundle: string, { words, kubeconfig, image }: AgentStart): string {
  const staged = join(folder, "program");
  mkdirSync(staged);
  for (const name of readdirSync(bundle).filter((name) => /\.[cm]js(\.code)?$/.test(name)))
    cpSync(join(bundle, name), join(staged, name));
  writeFileSync(join(staged, "kubeconfig"), kubeconfig);
  const command = ["node", `${programFolder}/attune.cjs`, ...words, "--kubeconfig", `${programFolder}/kubeconfig`];
  writeFileSync(join(staged, "start-agent"), `export ${imageVariable}=${defaultImage}\nexec ${command.join(" ")}\n`);
  linkSync(image, join(staged, imageName));
  const disk = join(folder, "program.raw");
  execFileSync("mke2fs", ["-q", "-t", "ext4", "-d", staged, disk, "128M"]);
  rmSync(staged, { recursive: true });
  return disk;
}
