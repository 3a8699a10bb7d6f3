import { type FieldError, forbidden, notSupported } from "../schema/field-error.ts";
import { child, index } from "../schema/path.ts";
import {
  appendDetail,
  type DirectoryEntry,
  type FileEntry,
  type IgnitionDocument,
  type LinkEntry,
  type UnitEntry,
  type UserEntry,
} from "./document.ts";

/** A config of version 2, read. */
export interface Version2 {
  readonly ignition: { readonly config?: { readonly append?: unknown; readonly replace?: unknown } };
  readonly networkd?: { readonly units?: readonly object[] };
  readonly passwd?: { readonly users?: readonly UserEntry[]; readonly groups?: readonly object[] };
  readonly storage?: {
    readonly files?: readonly Located<Omit<FileEntry, "append"> & { readonly append?: boolean }>[];
    readonly directories?: readonly Located<DirectoryEntry>[];
    readonly links?: readonly Located<LinkEntry>[];
    readonly disks?: readonly object[];
    readonly filesystems?: readonly object[];
    readonly raid?: readonly object[];
  };
  readonly systemd?: { readonly units?: readonly (UnitEntry & { readonly enable?: boolean })[] };
}

type Located<T> = T & { readonly filesystem?: string };

/**
 * Version 2 may name a file, unit or user several times. The machine config operator reads such lists from their end: the
 * last file wins, the last unit gets the drop-ins of earlier ones, the last user their keys.
 */
export function raiseVersion2(config: Version2, field: string, problems: FieldError[]): IgnitionDocument | undefined {
  problems.push(...refused(config, field));
  if (problems.length > 0) return undefined;
  const { config: _, ...ignition } = config.ignition;
  const { storage = {}, passwd = {} } = config;
  // Version 2 overwrites unless told not to, version 3 the other way round.
  const files = lastFirst(storage.files ?? [], ({ path }) => path ?? "").map(([file]) => ({
    overwrite: true,
    ...rooted(file),
  }));
  const units = lastFirst(config.systemd?.units ?? [], ({ name }) => name ?? "").map(unit);
  const users = lastFirst(passwd.users ?? [], ({ name }) => name ?? "").map(user);
  return {
    ignition: { ...ignition, version: "3.5.0" },
    ...nonEmpty("passwd", { users, groups: passwd.groups ?? [] }),
    ...nonEmpty("storage", {
      files,
      directories: (storage.directories ?? []).map(rooted),
      links: (storage.links ?? []).map(rooted),
    }),
    ...nonEmpty("systemd", { units }),
  };
}

/** What has no equal in version 3, or none that Attune knows. */
function refused({ ignition, networkd, passwd, storage }: Version2, field: string): FieldError[] {
  const rewrite = "not converted from Ignition 2: write it in version 3";
  const sections: [string, unknown][] = [
    ["ignition.config.append", ignition.config?.append],
    ["ignition.config.replace", ignition.config?.replace],
    ["storage.disks", storage?.disks],
    ["storage.filesystems", storage?.filesystems],
    ["storage.raid", storage?.raid],
  ];
  const nodes = (["files", "directories", "links"] as const).flatMap((list) =>
    (storage?.[list] ?? []).flatMap(({ filesystem = "root" }, position) =>
      filesystem === "root"
        ? []
        : [notSupported(`${field}.storage.${list}[${position}].filesystem`, filesystem, ["root"])],
    ),
  );
  return [
    ...(networkd?.units?.length ? [forbidden(child(field, "networkd"), "write its units as files")] : []),
    ...sections
      .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== undefined))
      .map(([section]) => forbidden(child(field, section), rewrite)),
    ...(passwd?.users ?? []).flatMap(({ name }, position) =>
      name === "core" ? [] : [notSupported(`${index(`${field}.passwd.users`, position)}.name`, name, ["core"])],
    ),
    ...(storage?.files ?? []).flatMap(({ append }, position) =>
      append ? [forbidden(`${field}.storage.files[${position}].append`, appendDetail)] : [],
    ),
    ...nodes,
  ];
}

/** The entries of each key, the last first; keys in the order in which they are found from the end. */
function lastFirst<T>(entries: readonly T[], keyOf: (entry: T) => string): [T, ...T[]][] {
  const found = new Map<string, [T, ...T[]]>();
  for (const entry of entries.toReversed()) {
    const earlier = found.get(keyOf(entry));
    if (earlier) earlier.push(entry);
    else found.set(keyOf(entry), [entry]);
  }
  return [...found.values()];
}

/** Without the fields of version 2 alone. */
function rooted<T extends Located<{ readonly append?: boolean }>>(entry: T): Omit<T, "filesystem" | "append"> {
  const { filesystem: _, append: _append, ...kept } = entry;
  return kept;
}

type Unit2 = UnitEntry & { readonly enable?: boolean };

function unit([last, ...earlier]: [Unit2, ...Unit2[]]): UnitEntry {
  const { enable, ...kept } = last;
  const dropins = new Map((last.dropins ?? []).map((dropin) => [dropin.name, dropin]));
  for (const dropin of earlier.flatMap((one) => one.dropins ?? []))
    if (!dropins.has(dropin.name)) dropins.set(dropin.name, dropin);
  const enabled = last.enabled ?? (enable || undefined);
  return {
    ...kept,
    ...(enabled === undefined ? {} : { enabled }),
    ...(dropins.size > 0 ? { dropins: [...dropins.values()] } : {}),
  };
}

function user([last, ...earlier]: [UserEntry, ...UserEntry[]]): UserEntry {
  const { create: _, ...kept } = last;
  const keys = new Set([last, ...earlier].flatMap(({ sshAuthorizedKeys }) => sshAuthorizedKeys ?? []));
  return keys.size > 0 ? { ...kept, sshAuthorizedKeys: [...keys] } : kept;
}

function nonEmpty<Name extends string, Section extends Record<string, readonly unknown[]>>(
  name: Name,
  section: Section,
): { readonly [name in Name]?: Section } {
  const lists = Object.entries(section).filter(([, list]) => list.length > 0);
  return (lists.length > 0 ? { [name]: Object.fromEntries(lists) } : {}) as { [name in Name]?: Section };
}
