import { execFile } from "node:child_process";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";

const script = new URL("../../scripts/image.mjs", import.meta.url).pathname;

/** `npm run image`: writes the image as an OCI archive. */
export async function buildImage(output: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const all = { ...process.env, INIT_CWD: dirname(output), ...env };
  await promisify(execFile)(process.execPath, [script, "--output", basename(output)], { env: all });
}
