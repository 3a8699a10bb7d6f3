import type { Changes } from "../machine-config/cost/changes.ts";
import type { MachineContents } from "../machine-config/machine-contents.ts";

/** One thing that differs on a node. */
export interface ContentChange {
  readonly type: "file" | "directory" | "link" | "unit" | "user" | "boot argument" | "setting";
  /** A path, a name, an argument. */
  readonly name: string;
  readonly change: "add" | "change" | "remove";
}

/** What changes on a node, one by one, for people to read. */
export function contentChanges(old: MachineContents, wanted: MachineContents, changes: Changes): ContentChange[] {
  const listed = <T>(
    type: ContentChange["type"],
    names: readonly string[],
    [before, after]: readonly [readonly T[], readonly T[]],
    nameOf: (one: T) => string,
  ): ContentChange[] => {
    const [had, has] = [new Set(before.map(nameOf)), new Set(after.map(nameOf))];
    return names.map((name) => ({ type, name, change: !had.has(name) ? "add" : has.has(name) ? "change" : "remove" }));
  };
  const path = (one: { readonly path: string }): string => one.path;
  const name = (one: { readonly name: string }): string => one.name;
  const files = changes.files.map((file) => file.path);
  return [
    ...argumentChanges(old.kernelArguments, wanted.kernelArguments),
    ...settingChanges(old, wanted, changes),
    ...listed("file", files, [old.files, wanted.files], path),
    ...listed("directory", changes.directories, [old.directories, wanted.directories], path),
    ...listed("link", changes.links, [old.links, wanted.links], path),
    ...listed("unit", changes.units, [old.units, wanted.units], name),
    ...listed("user", changes.users, [old.users, wanted.users], name),
  ];
}

function argumentChanges(old: readonly string[], wanted: readonly string[]): ContentChange[] {
  const without = (list: readonly string[], others: readonly string[], change: "add" | "remove"): ContentChange[] =>
    list.filter((one) => !others.includes(one)).map((name) => ({ type: "boot argument", name, change }));
  const found = [...without(old, wanted, "remove"), ...without(wanted, old, "add")];
  const isOther = JSON.stringify(old) !== JSON.stringify(wanted);
  return found.length === 0 && isOther
    ? [{ type: "setting", name: "order of boot arguments", change: "change" }]
    : found;
}

function settingChanges(old: MachineContents, wanted: MachineContents, changes: Changes): ContentChange[] {
  const change = (name: string, before: string, after: string): ContentChange => ({
    type: "setting",
    name: `${name} ${before || "none"} → ${after || "none"}`,
    change: "change",
  });
  return [
    ...(changes.kernelType ? [change("kernel type", old.kernelType, wanted.kernelType)] : []),
    ...(changes.extensions ? [change("extensions", old.extensions.join(", "), wanted.extensions.join(", "))] : []),
    ...(changes.fips ? [change("FIPS", String(old.fips), String(wanted.fips))] : []),
    ...(changes.osImage ? [change("OS image", old.osImageURL, wanted.osImageURL)] : []),
  ];
}
