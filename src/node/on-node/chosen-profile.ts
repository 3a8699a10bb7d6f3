import { chosenProfileFile } from "../../domain/node-tuning/agent-daemon-set.ts";
import type { Host, Outcome } from "../host/host.ts";

/**
 * Writes the name of the chosen profile, in the form of TuneD's `recommend.conf`, where tools written for the Go operator
 * read it: the DaemonSet mounts the folder into the agent's pod. A name that needs several lines is not written.
 */
export async function writeChosenProfile(host: Pick<Host, "read" | "replace">, profile: string): Promise<Outcome> {
  const text = `[${profile}]\n`;
  if (/[\r\n]/.test(profile)) return { type: "done" };
  const file = await host.read(chosenProfileFile);
  return file.type === "text" && file.text === text ? { type: "done" } : host.replace(chosenProfileFile, text, 0o644);
}
