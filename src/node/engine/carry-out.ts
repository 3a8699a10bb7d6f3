import type { Action, ActionOutcome } from "./action.ts";
import type { Host } from "../host/host.ts";
import { editOstreeArguments } from "./ostree-arguments.ts";
import { place } from "./placed.ts";
import { textAfter } from "./text-after.ts";

/** Carries actions out in order, up to the first that fails. */
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
    case "ostree-arguments":
      return editOstreeArguments(action.edit, host);
    case "place":
      return place(action.path, action.placed, host);
    case "keys":
    case "edit":
      return edit(action, host);
    case "prune":
      return host.prune(action.path);
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

async function edit(action: Action & { type: "keys" | "edit" }, host: Host): Promise<ActionOutcome> {
  const file = await host.read(action.path);
  if (file.type === "failed") return file;
  const before = file.type === "text" ? file.text : undefined;
  const text = textAfter(action, before);
  if (text === before) return { type: "done" };
  if (text === undefined) return host.remove(action.path);
  const stat = await host.stat(action.path);
  return host.replace(action.path, text, stat.type === "file" ? stat : undefined);
}

async function run(action: Action & { type: "run" }, host: Host): Promise<ActionOutcome> {
  const outcome = await started(action, host);
  if (outcome.type === "done" || action.needs === undefined || (await exists(action.needs, host))) return outcome;
  return failed("ENOENT", outcome.message);
}

/** Whether a folder lists it. */
export async function exists(path: string, host: Host): Promise<boolean> {
  const slash = path.lastIndexOf("/");
  return (await host.list(path.slice(0, slash))).includes(path.slice(slash + 1));
}

async function started(action: Action & { type: "run" }, host: Host): Promise<ActionOutcome> {
  const { argv, tolerate = [], quiet = false, timeoutMs, env, cwd } = action;
  const result = await host.run(argv, { timeoutMs, env, cwd });
  if (result.type === "failed") return failed("ENOEXEC", result.message);
  const said = (result.stderr.trim() || result.stdout.trim()).slice(0, longestOutput);
  const name = nameOf(argv);
  if (result.code !== 0 && !tolerate.includes(result.code))
    return failed("EEXIT", `${name}: exit code ${result.code}${said === "" ? "" : `: ${said}`}`);
  return quiet && result.stderr.trim() !== "" ? failed("ESTDERR", `${name}: ${said}`) : { type: "done" };
}

/** A condition's message has a line for each of many settings. */
const longestOutput = 500;
const longestName = 200;

/** For messages: without the text of a shell script, and bounded. */
function nameOf([program = "", ...args]: readonly string[]): string {
  const [flag, , ...rest] = args;
  const words = program === "sh" && flag === "-c" ? [program, flag, "…", ...rest] : [program, ...args];
  const name = words.join(" ");
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}

function failed(code: string, message: string): ActionOutcome {
  return { type: "failed", code, message };
}

type Run = Action & { type: "run" };

/** The kernel limits the size of a command line. */
const mostWords = 1000;

/** Joins consecutive runs that may be one program. */
export function joinRuns(actions: readonly Action[]): Action[] {
  const joined: Action[] = [];
  for (const action of actions) {
    const last = joined.at(-1);
    if (last && areOne(last, action)) joined[joined.length - 1] = { ...last, argv: [...last.argv, ...rest(action)] };
    else joined.push(action);
  }
  return joined;
}

/** Whether two lists of one action each may be joined to one program. */
export function mayJoin(a: readonly Action[], b: readonly Action[]): boolean {
  const [first, ...more] = a;
  const [second, ...others] = b;
  if (!first || !second || more.length > 0 || others.length > 0) return false;
  return areOne(first, second);
}

function areOne(a: Action, b: Action): a is Run & { shared: number } {
  if (a.type !== "run" || b.type !== "run" || a.shared === undefined || a.shared !== b.shared) return false;
  const { shared } = a;
  return (
    a.argv.length < mostWords &&
    b.argv.length >= shared &&
    a.argv.slice(0, shared).every((word, index) => word === b.argv[index]) &&
    JSON.stringify([a.env, a.cwd, a.tolerate, a.quiet, a.needs]) ===
      JSON.stringify([b.env, b.cwd, b.tolerate, b.quiet, b.needs])
  );
}

function rest(action: Action): readonly string[] {
  return action.type === "run" ? action.argv.slice(action.shared) : [];
}
