import type { AccountEntry, FileEntry, UnitEntry } from "../../language/ignition/document.ts";
import { FileDecoder } from "../../language/ignition/file-decoder.ts";
import type { FieldError } from "../../language/schema/field-error.ts";
import { splitArguments } from "../../language/tuned/boot-arguments.ts";
import type { MachineConfig } from "./api.ts";
import type { Account, MachineContents, MachineFile, MachineUnit } from "./machine-contents.ts";
import { readSource, type Source } from "./read-source.ts";

export type ReadContents =
  | { readonly type: "contents"; readonly contents: MachineContents }
  | { readonly type: "problems"; readonly problems: readonly FieldError[] };

/** The contents of a spec, for example of a rendered config; or what is wrong with it, each problem with its field. */
export function readContents(spec: MachineConfig["spec"]): ReadContents {
  const decoder = new FileDecoder();
  const read = readSource(spec ?? {}, decoder);
  return read.type === "problems" ? read : { type: "contents", contents: contentsOf(read.source, decoder) };
}

/** Of a valid source. Lists whose order means nothing are sorted, so that equal contents are equal in every order. */
export function contentsOf(source: Source, decoder: FileDecoder): MachineContents {
  const { storage: { files = [], directories = [], links = [] } = {}, systemd, passwd } = source.document ?? {};
  return {
    files: sorted(files, "path").map((file) => fileOf(file, decoder)),
    directories: sorted(directories, "path").map(({ path = "", mode = 0o755, user, group }) => ({
      path,
      mode,
      user: account(user),
      group: account(group),
    })),
    links: sorted(links, "path").map(({ path = "", target = "", hard = false, user, group }) => ({
      path,
      target,
      isHard: hard,
      user: account(user),
      group: account(group),
    })),
    units: sorted(systemd?.units ?? [], "name").map(unitOf),
    users: sorted(passwd?.users ?? [], "name").map(({ name = "", passwordHash, sshAuthorizedKeys = [] }) => ({
      name,
      passwordHash,
      keys: sshAuthorizedKeys.toSorted(),
    })),
    kernelArguments: (source.kernelArguments ?? []).flatMap(splitArguments),
    kernelType: source.kernelType || "default",
    extensions: [...new Set(source.extensions)].toSorted(),
    fips: source.fips ?? false,
    osImageURL: source.osImageURL ?? "",
  };
}

/** By code units, which does not depend on a locale. */
function sorted<T extends object>(entries: readonly T[], key: keyof T): T[] {
  return entries.toSorted((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1));
}

function fileOf({ path = "", mode = 0o644, contents = {}, user, group }: FileEntry, decoder: FileDecoder): MachineFile {
  const decoded = decoder.decode(contents);
  if (decoded.type === "problem") throw new Error(`decode ${path}: its source ${decoded.problem}`);
  return { path, mode, bytes: decoded.bytes, user: account(user), group: account(group) };
}

/** Root, however it is named, is what a file has if nothing is said. */
function account({ id, name }: AccountEntry = {}): Account | undefined {
  if (id === 0 || (id === undefined && name === "root")) return undefined;
  if (id !== undefined) return { type: "id", id };
  return name ? { type: "name", name } : undefined;
}

function unitOf({ name = "", contents, enabled, mask, dropins = [] }: UnitEntry): MachineUnit {
  return {
    name,
    contents,
    isEnabled: enabled,
    isMasked: mask,
    dropins: sorted(dropins, "name").map((dropin) => ({ name: dropin.name ?? "", contents: dropin.contents ?? "" })),
  };
}
