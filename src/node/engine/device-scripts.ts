import type { Unit } from "../../language/tuned/unit.ts";
import type { Action } from "./action.ts";
import { directoryOf, isBelow } from "../../language/tuned/chain/path.ts";
import type { Observe, Step } from "./plugin.ts";

/** `script_pre` and `script_post` of a unit, called once for each of its devices. */
export async function deviceScripts(
  unit: Unit,
  observe: Observe,
  devices: readonly string[],
): Promise<{ before: Step[]; after: Step[] }> {
  return {
    before: await steps("script_pre", unit.scriptPre, observe, devices),
    after: await steps("script_post", unit.scriptPost, observe, devices),
  };
}

async function steps(
  option: string,
  script: string | undefined,
  observe: Observe,
  devices: readonly string[],
): Promise<Step[]> {
  if (script === undefined) return [];
  const about = { option, from: script };
  if (!script.startsWith("/")) return [{ ...about, type: "impossible", message: `${script} is not an absolute path` }];
  if (!isBelow(await observe.host.real(script), observe.profileDirectories))
    return [{ ...about, type: "impossible", message: `${script} is not in a directory of profiles`, verified: false }];
  const call = (...args: string[]): Action[] => [
    { type: "run", argv: [script, ...args], cwd: directoryOf(script), quiet: true },
  ];
  if (observe.purpose === "apply")
    return devices.map((device) => ({
      ...about,
      device,
      type: "change",
      always: true,
      target: `${script} ${device}`,
      before: "",
      value: "apply",
      actions: call("apply", device),
      undo: call("unapply", "full_rollback", device),
      undoAtShutdown: call("unapply", device),
    }));
  const verified: Step[] = [];
  for (const device of devices) {
    const result = await observe.host.run([script, "verify", device], { cwd: directoryOf(script) });
    if (result.type !== "exited" || result.code !== 0)
      verified.push({ ...about, device, type: "impossible", message: `${script} verify ${device} fails` });
  }
  return verified;
}
