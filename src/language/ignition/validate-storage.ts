import { duplicate, type FieldError, forbidden, invalid, required } from "../schema/field-error.ts";
import { child, index } from "../schema/path.ts";
import {
  appendDetail,
  type AccountEntry,
  type FileEntry,
  type IgnitionDocument,
  type LinkEntry,
  type NodeEntry,
  type StorageSection,
} from "./document.ts";
import { shortened } from "./read-shape.ts";
import { repeated } from "./repeated.ts";
import { validateResource } from "./validate-resource.ts";

type Storage = NonNullable<IgnitionDocument["storage"]>;

export function validateStorage(storage: Storage, field: string): FieldError[] {
  const { files = [], directories = [], links = [] } = storage;
  const faults: FieldError[] = [];
  const paths = new Paths(links, faults);
  // As in Ignition, directories come first: the file is what is there twice.
  directories.forEach((directory, position) => {
    const at = index(child(field, "directories"), position);
    paths.validate(directory, at);
    faults.push(...validateMode(directory.mode, 0o7777, at));
  });
  files.forEach((file, position) => {
    const at = index(child(field, "files"), position);
    paths.validate(file, at);
    faults.push(...validateFile(file, at));
  });
  links.forEach((link, position) => {
    const at = index(child(field, "links"), position);
    paths.validate(link, at);
    faults.push(...validateLink(link, at));
  });
  for (const [section, key] of Object.entries(keys))
    faults.push(...repeated(storage[section as StorageSection] ?? [], key, child(field, section)));
  return faults;
}

const keys: Readonly<Record<StorageSection, string>> = {
  disks: "device",
  filesystems: "device",
  raid: "name",
  luks: "name",
};

function validateFile({ mode, append, contents, overwrite }: FileEntry, field: string): FieldError[] {
  // Nodes that the machine config operator configures do not accept setuid, setgid and sticky files either.
  const faults = validateMode(mode, 0o777, field);
  if (append?.length) faults.push(forbidden(child(field, "append"), appendDetail));
  if (contents) faults.push(...validateResource(contents, child(field, "contents")));
  if (overwrite && contents?.source === undefined)
    faults.push(invalid(child(field, "overwrite"), true, "must not be true without contents.source"));
  return faults;
}

function validateLink({ target, hard, user, group }: LinkEntry, field: string): FieldError[] {
  if (!target) return [required(child(field, "target"))];
  if (target.includes("\0") || target.length > longestPath)
    return [invalid(child(field, "target"), shortened(target), notAPath)];
  return hard && (user || group)
    ? [forbidden(field, "a hard link has the owner of its target: remove user and group")]
    : [];
}

function validateMode(mode: number | undefined, most: number, field: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= most)) return [];
  return [invalid(child(field, "mode"), mode, `must be between 0 and ${most} (octal ${most.toString(8)})`)];
}

/** PATH_MAX of Linux, with the NUL at its end. */
const longestPath = 4095;
const notAPath = `must have at most ${longestPath} characters and no NUL`;

/** The paths of one config. No path may be there twice, or lead through a link of the same config. */
class Paths {
  readonly #seen = new Set<string>();
  readonly #links: ReadonlySet<string>;
  readonly #faults: FieldError[];

  constructor(links: readonly LinkEntry[], faults: FieldError[]) {
    this.#links = new Set(links.flatMap(({ path }) => path ?? []));
    this.#faults = faults;
  }

  validate({ path = "", user, group }: NodeEntry, field: string): void {
    const problem = this.#problem(path);
    if (path === "") this.#faults.push(required(child(field, "path")));
    else if (problem !== undefined) this.#faults.push(invalid(child(field, "path"), shortened(path), problem));
    else if (this.#seen.has(path)) this.#faults.push(duplicate(child(field, "path"), path));
    this.#seen.add(path);
    if (user) this.#faults.push(...validateAccount(user, child(field, "user")));
    if (group) this.#faults.push(...validateAccount(group, child(field, "group")));
  }

  #problem(path: string): string | undefined {
    if (!path.startsWith("/")) return "must be absolute";
    if (path.length > longestPath || path.includes("\0")) return notAPath;
    if (/\/\.{0,2}(\/|$)/.test(path)) return 'must be simplified: no "//", "." or "..", no slash at its end';
    const link = this.#linkAbove(path);
    return link === undefined ? undefined : `must not be below the link ${link}`;
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

function validateAccount({ id, name }: AccountEntry, field: string): FieldError[] {
  if (id !== undefined && name) return [forbidden(field, "must have an id or a name, not both")];
  return id !== undefined && (id < 0 || id > 0xfffffffe) ? [invalid(child(field, "id"), id, "is no account")] : [];
}
