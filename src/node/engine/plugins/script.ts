import type { Setting } from "../../../language/tuned/unit.ts";
import type { Action } from "../action.ts";
import { directoryOf, isBelow } from "../../../language/tuned/chain/path.ts";
import type { Observe, Plugin, Step } from "../plugin.ts";
import { unknownOption } from "./steps.ts";

/** TuneD has no limit; here a script that hangs must not keep the node from being tuned. */
const timeoutMs = 60_000;

/** `[script]`: programs beside the profile, called with `start`, `verify` and `stop`. */
export const script: Plugin = {
  type: "script",
  // A script runs when the profile is applied.
  follows: [],
  async plan(unit, observe) {
    const steps: Step[] = [];
    for (const [option, setting] of unit.options) {
      if (option !== "script") steps.push(unknownOption("script", option, setting));
      else
        for (const path of setting.list ?? [setting.value]) steps.push(...(await planScript(path, setting, observe)));
    }
    return steps;
  },
};

async function planScript(path: string, { from }: Setting, observe: Observe): Promise<Step[]> {
  const about = { option: "script", from, device: path };
  const real = path.startsWith("/") ? await observe.host.real(path) : path;
  if (!isBelow(real, observe.profileDirectories)) {
    const message = `${path} is not in a directory of profiles, so it is not run`;
    return [{ ...about, type: "impossible", message, verified: false }];
  }
  const cwd = directoryOf(path);
  const env = environment(observe.variables);
  if (observe.purpose === "verify") {
    const result = await observe.host.run([path, "verify"], { timeoutMs, env, cwd });
    if (result.type === "exited" && result.code === 0) return [];
    const why = result.type === "failed" ? result.message : `exit code ${result.code}: ${result.stderr.trim()}`;
    return [{ ...about, type: "impossible", message: `${path} verify: ${why}` }];
  }
  const call = (...args: string[]): Action[] => [
    { type: "run", argv: [path, ...args], quiet: true, timeoutMs, env, cwd },
  ];
  return [
    {
      ...about,
      type: "change",
      always: true,
      target: `script ${path}`,
      before: "",
      value: "start",
      actions: call("start"),
      undo: call("stop", "full_rollback"),
      undoAtShutdown: call("stop"),
      // A script may write files, so its undo must outlive the boot.
      lasts: "persistent",
    },
  ];
}

function environment(variables: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(
    [...variables].map(([name, value]) => [name.startsWith("TUNED_") ? name : `TUNED_${name}`, value]),
  );
}
