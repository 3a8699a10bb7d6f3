import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programFolder } from "./guest-files.ts";

export interface AgentStart {
  /** The command and options of the program. */
  readonly words: readonly string[];
  /** Text of the file. */
  readonly kubeconfig: string;
}

/** A disk with the bundle and what its agent is started with. */
export function programDisk(folder: string, bundle: string, { words, kubeconfig }: AgentStart): string {
  const staged = join(folder, "program");
  mkdirSync(staged);
  for (const name of readdirSync(bundle).filter((name) => /\.[cm]js(\.code)?$/.test(name)))
    cpSync(join(bundle, name), join(staged, name));
  writeFileSync(join(staged, "kubeconfig"), kubeconfig);
  const command = ["node", `${programFolder}/attune.cjs`, ...words, "--kubeconfig", `${programFolder}/kubeconfig`];
  writeFileSync(join(staged, "start-agent"), `exec ${command.join(" ")}\n`);
  const disk = join(folder, "program.raw");
  execFileSync("mke2fs", ["-q", "-t", "ext4", "-d", staged, disk, "32M"]);
  rmSync(staged, { recursive: true });
  return disk;
}
