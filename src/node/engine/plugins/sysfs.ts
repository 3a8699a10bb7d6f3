import type { Host } from "../../host/host.ts";
import { matchesGlob } from "../../../language/tuned/pattern/glob.ts";
import { normalPath } from "../../../language/tuned/chain/path.ts";
import { activeOption } from "../../../language/tuned/value.ts";
import type { Setting } from "../../../language/tuned/unit.ts";
import { isAsWanted } from "../wanted-value.ts";
import type { Observe, Plugin, Step } from "../plugin.ts";

/** `[sysfs]`: options are files below /sys, globs allowed; values are written as they are (Q16). */
export const sysfs: Plugin = {
  type: "sysfs",
  // A device that appears brings files of its own.
  follows: ["resync", "devices"],
  async plan(unit, observe) {
    const steps: Step[] = [];
    for (const [option, setting] of unit.options) steps.push(...(await planOption(option, setting, observe)));
    return steps;
  },
};

async function planOption(option: string, setting: Setting, observe: Observe): Promise<Step[]> {
  const about = { option, from: setting.from };
  const pattern = normalPath(option);
  if (!pattern.startsWith("/sys/"))
    return [{ ...about, type: "impossible", message: "is not a file below /sys", verified: false }];
  const matches = await expandGlob(pattern, observe.host);
  if (matches.type === "too-many")
    return [{ ...about, type: "impossible", message: "matches too many files", verified: false }];
  if (matches.paths.length === 0) return [{ ...about, type: "skipped", level: "info", message: "matches no file" }];
  return Promise.all(matches.paths.map((path) => planFile(path, option, setting, observe)));
}

async function planFile(path: string, option: string, { value, from }: Setting, observe: Observe): Promise<Step> {
  const about = { option, from, ...(path === option ? {} : { device: path }) };
  const file = await observe.host.read(path);
  if (file.type === "failed" && file.code !== "EACCES" && file.code !== "EPERM")
    return { ...about, type: "impossible", message: `cannot read ${path}: ${file.message}` };
  const before = file.type === "text" ? activeOption(file.text, "everything").trim() : "";
  return {
    ...about,
    type: isAsWanted(value, before, observe) ? "same" : "change",
    target: path,
    before,
    value,
    actions: [{ type: "write", path, value }],
    // An empty write would be none, so an empty original is restored as an empty line (Q28). A file that cannot be read
    // has no original.
    undo: file.type === "text" ? [{ type: "write", path, value: before === "" ? "\n" : before }] : [],
  };
}

export type Matches = { readonly type: "paths"; readonly paths: readonly string[] } | { readonly type: "too-many" };

/** /sys has circular links, which a pattern of many stars would follow without end. */
const mostPaths = 10_000;

/** Expands a pattern as a shell does: a star does not match names that start with a dot. */
export async function expandGlob(pattern: string, host: Pick<Host, "list" | "read">): Promise<Matches> {
  let paths = [""];
  for (const part of pattern.split("/").slice(1)) {
    if (!/[*?[]/.test(part)) {
      paths = paths.map((path) => `${path}/${part}`);
      continue;
    }
    const next: string[] = [];
    for (const path of paths) {
      for (const name of await host.list(path === "" ? "/" : path))
        if (matchesGlob(part, name) && (part.startsWith(".") || !name.startsWith("."))) next.push(`${path}/${name}`);
      if (next.length > mostPaths) return { type: "too-many" };
    }
    paths = next;
  }
  const there = await Promise.all(paths.map(async (path) => (await host.read(path)).type !== "missing"));
  return { type: "paths", paths: paths.filter((_, index) => there[index]) };
}
