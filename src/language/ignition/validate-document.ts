import { duplicate, type FieldError, invalid, required } from "../schema/field-error.ts";
import { child, index } from "../schema/path.ts";
import type { IgnitionDocument, UnitEntry, UserEntry } from "./document.ts";
import { shortened } from "./read-shape.ts";
import { repeated } from "./repeated.ts";
import { validateStorage } from "./validate-storage.ts";

/** The rules of Ignition, and those that keep what a config writes in its place. */
export function validateDocument({ storage, systemd, passwd }: IgnitionDocument, field: string): FieldError[] {
  return [
    ...validateStorage(storage ?? {}, child(field, "storage")),
    ...validateUnits(systemd?.units ?? [], child(field, "systemd.units")),
    ...validateUsers(passwd?.users ?? [], child(field, "passwd.users")),
    ...repeated(passwd?.groups ?? [], "name", child(field, "passwd.groups")),
  ];
}

const unitSuffixes = [
  "automount",
  "device",
  "mount",
  "path",
  "scope",
  "service",
  "slice",
  "snapshot",
  "socket",
  "swap",
  "target",
  "timer",
];

function validateUnits(units: readonly UnitEntry[], field: string): FieldError[] {
  const faults = units.flatMap(({ name, dropins = [] }, position) => {
    const at = index(field, position);
    return [
      ...validateFileName(name, child(at, "name")),
      // `-.mount` and `-.slice` are those of the root.
      ...(name && /^-[^.]/.test(name)
        ? [invalid(child(at, "name"), shortened(name), "must not begin with a hyphen")]
        : []),
      ...(name && !unitSuffixes.includes(name.slice(name.lastIndexOf(".") + 1))
        ? [invalid(child(at, "name"), shortened(name), `must end in one of .${unitSuffixes.join(", .")}`)]
        : []),
      ...dropins.flatMap((dropin, place) => validateDropin(dropin.name, index(child(at, "dropins"), place))),
      ...repeated(dropins, "name", child(at, "dropins")),
    ];
  });
  return [...faults, ...repeated(units, "name", field)];
}

function validateDropin(name: string | undefined, field: string): FieldError[] {
  const faults = validateFileName(name, child(field, "name"));
  if (name && !name.endsWith(".conf")) faults.push(invalid(child(field, "name"), shortened(name), "must end in .conf"));
  return faults;
}

/** The name becomes part of a path below /etc/systemd/system, and must not lead out of it. */
function validateFileName(name: string | undefined, field: string): FieldError[] {
  if (!name) return [required(field)];
  // eslint-disable-next-line no-control-regex
  if (/[/\u0000-\u001f\u007f]/.test(name))
    return [invalid(field, shortened(name), "must be the name of a file: no slash and no control character")];
  return name === "." || name === ".." ? [invalid(field, name, "must be the name of a file")] : [];
}

/** It becomes one field of a line of /etc/shadow. Messages do not show it. */
function validateHash(hash: string | undefined, field: string): FieldError[] {
  return hash && /[:\s]/.test(hash) ? [invalid(field, "(not shown)", "must have neither a colon nor a blank")] : [];
}

function validateUsers(users: readonly UserEntry[], field: string): FieldError[] {
  const faults = users.flatMap(({ sshAuthorizedKeys = [], passwordHash }, position) => {
    const seen = new Set<string>();
    const hash = validateHash(passwordHash, child(index(field, position), "passwordHash"));
    const keys = sshAuthorizedKeys.flatMap((key, place) => {
      const at = index(child(index(field, position), "sshAuthorizedKeys"), place);
      if (seen.has(key)) return [duplicate(at, shortened(key))];
      seen.add(key);
      // A key becomes one line of a file.
      return /[\r\n]/.test(key.trimEnd()) ? [invalid(at, shortened(key), "must be one line")] : [];
    });
    return [...hash, ...keys];
  });
  return [...faults, ...repeated(users, "name", field)];
}
