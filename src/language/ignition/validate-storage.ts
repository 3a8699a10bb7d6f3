import { duplicate, type FieldError, forbidden, invalid, required } from "../schema/field-error.ts";
import { child, index } from "../schema/path.ts";
import type { AccountEntry, FileEntry, IgnitionDocument, LinkEntry, NodeEntry } from "./document.ts";
import { appendDetail } from "./raise-version-2.ts";
import { shortened } from "./read-shape.ts";
import { repeated } from "./repeated.ts";
import { validateResource } from "./validate-resource.ts";

type Storage = NonNullable<IgnitionDocument["storage"]>;

export function validateStorage(storage: Storage, field: string): FieldError[] {
  const { files = [], directories = [], links = [] } = storage;
  const paths = new Paths(links);
  return [
    // As in Ignition, directories come first: the file is what is there twice.
    ...directories.flatMap((directory, position) => {
      const at = index(child(field, "directories"), position);
      return [...paths.validate(directory, at), ...validateMode(directory.mode, 0o7777, at)];
    }),
    ...files.flatMap((file, position) => validateFile(file, index(child(field, "files"), position), paths)),
    ...links.flatMap((link, position) => validateLink(link, index(child(field, "links"), position), paths)),
    ...repeated(storage.disks ?? [], "device", child(field, "disks")),
    ...repeated(storage.filesystems ?? [], "device", child(field, "filesystems")),
    ...repeated(storage.raid ?? [], "name", child(field, "raid")),
    ...repeated(storage.luks ?? [], "name", child(field, "luks")),
  ];
}

function validateFile(file: FileEntry, field: string, paths: Paths): FieldError[] {
  const faults = paths.validate(file, field);
  // Nodes that the machine config operator configures do not accept setuid, setgid and sticky files either.
  faults.push(...validateMode(file.mode, 0o777, field));
  if (file.append?.length) faults.push(forbidden(child(field, "append"), appendDetail));
  if (file.contents) faults.push(...validateResource(file.contents, child(field, "contents")));
  if (file.overwrite && file.contents?.source === undefined)
    faults.push(invalid(child(field, "overwrite"), true, "must not be true without contents.source"));
  return faults;
}

function validateLink(link: LinkEntry, field: string, paths: Paths): FieldError[] {
  const faults = paths.validate(link, field);
  if (!link.target) faults.push(required(child(field, "target")));
  else if (link.target.includes("\0")) faults.push(invalid(child(field, "target"), link.target, noNul));
  if (link.hard && (link.user || link.group))
    faults.push(forbidden(field, "a hard link has the owner of its target: remove user and group"));
  return faults;
}

function validateMode(mode: number | undefined, most: number, field: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= most)) return [];
  // YAML 1.2 and JSON have no octal numbers: 644 instead of 420 is a common mistake, and valid.
  return [invalid(child(field, "mode"), mode, `must be between 0 and ${most} (octal ${most.toString(8)})`)];
}

const noNul = "must not contain a NUL character";

/** The paths of one config. No path may be there twice, or lead through a link of the same config. */
class Paths {
  readonly #seen = new Set<string>();
  readonly #links: ReadonlySet<string>;

  constructor(links: readonly LinkEntry[]) {
    this.#links = new Set(links.flatMap(({ path }) => path ?? []));
  }

  validate({ path, user, group }: NodeEntry, field: string): FieldError[] {
    return [
      ...this.#validatePath(path, child(field, "path")),
      ...validateAccount(user, child(field, "user")),
      ...validateAccount(group, child(field, "group")),
    ];
  }

  #validatePath(path: string | undefined, field: string): FieldError[] {
    if (!path) return [required(field)];
    const bad = (detail: string): FieldError[] => [invalid(field, shortened(path), detail)];
    if (!path.startsWith("/")) return bad("must be absolute");
    if (path.includes("\0")) return bad(noNul);
    const parts = path.slice(1).split("/");
    if (path === "/" || parts.some((part) => part === "" || part === "." || part === ".."))
      return bad('must be simplified: no "//", "." or "..", no slash at its end');
    if (this.#seen.has(path)) return [duplicate(field, shortened(path))];
    this.#seen.add(path);
    const link = this.#linkAbove(path);
    return link === undefined ? [] : bad(`must not be below the link ${String(shortened(link))}`);
  }

  #linkAbove(path: string): string | undefined {
    if (this.#links.size === 0) return undefined;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const parent = path.slice(0, end);
      if (this.#links.has(parent)) return parent;
    }
    return undefined;
  }
}

function validateAccount(account: AccountEntry | undefined, field: string): FieldError[] {
  if (!account) return [];
  const { id, name } = account;
  if (id !== undefined && name) return [forbidden(field, "must have an id or a name, not both")];
  if (id !== undefined && (id < 0 || id > 0xfffffffe)) return [invalid(child(field, "id"), id, "is no account")];
  return [];
}
