import type { Host } from "../host/host.ts";
import { setKeys } from "../../language/tuned/plugin-text.ts";
import type { Action, ActionOutcome } from "./action.ts";
import { joinRuns } from "./join-runs.ts";

/** Carries actions out in order; after one that fails there is no next. */
export async function carryOut(actions: readonly Action[], host: Host): Promise<ActionOutcome> {
  let refused: string | undefined;
  for (const action of joinRuns(actions)) {
    const outcome = await one(action, host);
    if (outcome.type === "failed") return outcome;
    refused ??= outcome.refused;
  }
  return refused === undefined ? { type: "done" } : { type: "done", refused };
}

async function one(action: Action, host: Host): Promise<ActionOutcome> {
  switch (action.type) {
    case "write": {
      const outcome = await host.write(action.path, action.value);
      if (outcome.type === "done") return outcome;
      if (action.tolerate?.includes(outcome.code)) return { type: "done", refused: outcome.code };
      return { ...outcome, message: `cannot write ${JSON.stringify(action.value)}: ${outcome.message}` };
    }
    case "file":
      return action.text === null ? host.remove(action.path) : host.replace(action.path, action.text, action.mode);
    case "keys":
      return keys(action, host);
    case "hold":
      if (!host.hold) return failed("ENOSYS", `this host cannot hold ${action.path} open`);
      return host.hold(action.path, action.hex);
    case "keep":
      if (!host.keep) return failed("ENOSYS", `this host cannot keep ${action.name} running`);
      return host.keep(action.name, action.argv);
    case "run":
      return run(action, host);
    default:
      return action satisfies never;
  }
}

async function keys({ path, values, add }: Action & { type: "keys" }, host: Host): Promise<ActionOutcome> {
  const file = await host.read(path);
  if (file.type === "failed") return file;
  if (file.type === "missing" && !add) return { type: "done" };
  const before = file.type === "text" ? file.text : "";
  const text = setKeys(before, new Map(Object.entries(values)), add);
  return text === before ? { type: "done" } : host.replace(path, text);
}

async function run(action: Action & { type: "run" }, host: Host): Promise<ActionOutcome> {
  const { argv, tolerate = [], quiet = false, timeoutMs, env, cwd } = action;
  const result = await host.run(argv, { timeoutMs, env, cwd });
  if (result.type === "failed") return failed("ENOEXEC", result.message);
  const said = (result.stderr.trim() || result.stdout.trim()).slice(0, 1000);
  const name = argv.join(" ").slice(0, 1000);
  if (result.code !== 0 && !tolerate.includes(result.code))
    return failed("EEXIT", `${name}: exit code ${result.code}${said === "" ? "" : `: ${said}`}`);
  return quiet && result.stderr.trim() !== "" ? failed("ESTDERR", `${name}: ${said}`) : { type: "done" };
}

function failed(code: string, message: string): ActionOutcome {
  return { type: "failed", code, message };
}
