import { arch, platform } from "node:process";
import type { versionFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { serialised } from "../terminal/serialise.ts";
import { writeOut } from "../terminal/terminal.ts";
import { version } from "../../version.ts";

/** `attune version`. */
export async function printVersion({ output }: Values<typeof versionFlags>): Promise<void> {
  const all = { version, node: process.versions.node, platform: `${platform}/${arch}` };
  writeOut(
    output === "text" ? `attune ${version}, Node.js ${all.node}, ${all.platform}\n` : await serialised(all, output),
  );
}
