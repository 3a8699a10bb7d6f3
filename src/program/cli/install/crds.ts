import { definitions } from "./manifests.ts";
import { printObjects } from "../terminal/serialise.ts";

/** `attune crds`: the definitions of all kinds that Attune works with. */
export async function crds(options: Readonly<Record<string, string | boolean>>): Promise<void> {
  process.stdout.write(await printObjects(definitions("standalone"), options.output));
}
