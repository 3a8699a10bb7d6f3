import type { Host } from "../host/host.ts";
import { splitArguments } from "../../language/tuned/boot-arguments.ts";
import type { ActionOutcome, ArgumentsEdit } from "./action.ts";
import { removable } from "./text-after.ts";

/** A new deployment takes longer than other programs. */
const timeoutMs = 300_000;

/** Changes boot arguments in one transaction of rpm-ostree, given those of the next boot. */
export async function editOstreeArguments(edit: ArgumentsEdit, host: Pick<Host, "run">): Promise<ActionOutcome> {
  const listed = await host.run(["rpm-ostree", "kargs"], { timeoutMs });
  if (listed.type === "failed") return { type: "failed", code: "ENOEXEC", message: listed.message };
  const present = splitArguments(listed.stdout);
  const old = removable(present, edit);
  const options = kargsOptions(old, edit.add);
  if (options.length === 0) return { type: "done" };
  const outcome = await kargs(options, host);
  // OSTree 2022.7 splits the arguments that it has at every blank, also in quotes, and finds only the parts of one.
  const parts = old.flatMap((word) => word.split(/\s+/));
  return outcome.type === "failed" && parts.length > old.length ? kargs(kargsOptions(parts, edit.add), host) : outcome;
}

async function kargs(options: readonly string[], host: Pick<Host, "run">): Promise<ActionOutcome> {
  const result = await host.run(["rpm-ostree", "kargs", ...options], { timeoutMs });
  if (result.type === "failed") return { type: "failed", code: "ENOEXEC", message: result.message };
  return result.code === 0
    ? { type: "done" }
    : { type: "failed", code: "EEXIT", message: `rpm-ostree kargs: exit code ${result.code}: ${result.stderr.trim()}` };
}

/** Everything that an earlier config has added goes, everything new comes, in order. */
export function kargsOptions(old: readonly string[], wanted: readonly string[]): string[] {
  return [...old.map((word) => `--delete-if-present=${word}`), ...wanted.map((word) => `--append=${word}`)];
}
