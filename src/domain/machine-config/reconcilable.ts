import {
  type IgnitionDocument,
  type StorageSection,
  storageSections,
  type UserEntry,
} from "../../language/ignition/document.ts";
import { equal } from "../../language/object/json.ts";
import { type FieldError, forbidden, invalid, required } from "../../language/schema/field-error.ts";

/** Sections that an administrator allows to differ: they are for new nodes only. */
export type StorageOverride = "Disks" | "FileSystems" | "Raid";

/** A rendered config, as far as it decides whether a running node can change to another. */
export interface Reconcilable {
  readonly document?: IgnitionDocument | undefined;
  readonly fips?: boolean;
}

/** Makes the node of the machine config operator skip its checks. A config that has it would do so for ever. */
const forceFile = "/run/machine-config-daemon-force";

/**
 * What a running node cannot change: users other than core, groups, disks, the FIPS mode. Without an old config, everything
 * but the FIPS mode, which each node compares with its kernel, counts as new.
 */
export function refusedChanges(
  old: Reconcilable | undefined,
  { document, fips = false }: Reconcilable,
  overrides: readonly StorageOverride[] = [],
): FieldError[] {
  if (!document) return [required("spec.config")];
  const before = old?.document;
  return [
    ...(old && (old.fips ?? false) !== fips
      ? [invalid("spec.fips", fips, "FIPS mode is chosen when a node is installed")]
      : []),
    ...changedSections(before, document, overrides).map((section) => forbidden(`spec.config.${section}`, newNodesOnly)),
    ...(document.passwd?.users ?? []).flatMap((user, position) =>
      refusedUser(user, before, `spec.config.passwd.users[${position}]`),
    ),
    ...(document.storage?.files ?? []).flatMap(({ path }, position) =>
      path === forceFile ? [invalid(`spec.config.storage.files[${position}].path`, path, "must not be delivered")] : [],
    ),
  ];
}

const newNodesOnly = "cannot be changed on a running node: replace the node";

const overrideOf: Readonly<Partial<Record<StorageSection, StorageOverride>>> = {
  disks: "Disks",
  filesystems: "FileSystems",
  raid: "Raid",
};

function changedSections(
  before: IgnitionDocument | undefined,
  after: IgnitionDocument,
  overrides: readonly StorageOverride[],
): string[] {
  const isChanged = (section: (document: IgnitionDocument | undefined) => unknown): boolean =>
    !equal(section(before) ?? [], section(after) ?? []);
  const argumentsOf = (document: IgnitionDocument | undefined): unknown =>
    Object.values(document?.kernelArguments ?? {}).flat();
  return [
    ...(isChanged((document) => document?.passwd?.groups) ? ["passwd.groups"] : []),
    ...(isChanged(argumentsOf) ? ["kernelArguments"] : []),
    ...storageSections
      .filter((section) => isChanged((document) => document?.storage?.[section]))
      .filter((section) => !overrides.some((allowed) => allowed === overrideOf[section]))
      .map((section) => `storage.${section}`),
  ];
}

const changeable = ["name", "sshAuthorizedKeys", "passwordHash"];

function refusedUser(user: UserEntry, before: IgnitionDocument | undefined, field: string): FieldError[] {
  const { name = "", sshAuthorizedKeys = [], passwordHash } = user;
  if (before?.passwd?.users?.some((other) => equal(other, user))) return [];
  if (name !== "core") return [invalid(`${field}.name`, name, "only the user core can be changed on a running node")];
  const others = Object.keys(user).filter((key) => !changeable.includes(key));
  if (others.length > 0) return others.map((key) => forbidden(`${field}.${key}`, newNodesOnly));
  // Without either no user could log in.
  return sshAuthorizedKeys.length === 0 && !passwordHash ? [required(`${field}.sshAuthorizedKeys`)] : [];
}
