/**
 * An Ignition config of version 3.5, read: known fields only, none of them null, each of its type. What nodes never use
 * (disks, timeouts, headers …) is kept as it is.
 */
export interface IgnitionDocument {
  readonly ignition: { readonly version: string } & Readonly<Record<string, unknown>>;
  readonly kernelArguments?: { readonly shouldExist?: readonly string[]; readonly shouldNotExist?: readonly string[] };
  readonly passwd?: { readonly groups?: readonly object[]; readonly users?: readonly UserEntry[] };
  readonly storage?: {
    readonly files?: readonly FileEntry[];
    readonly directories?: readonly DirectoryEntry[];
    readonly links?: readonly LinkEntry[];
  } & { readonly [section in StorageSection]?: readonly object[] };
  readonly systemd?: { readonly units?: readonly UnitEntry[] };
}

/** Set up before the first boot, and never changed afterwards. */
export const storageSections = ["disks", "filesystems", "raid", "luks"] as const;
export type StorageSection = (typeof storageSections)[number];

/** What files, directories and links have in common. */
export interface NodeEntry {
  readonly path?: string;
  readonly user?: AccountEntry;
  readonly group?: AccountEntry;
  readonly overwrite?: boolean;
}

export interface AccountEntry {
  readonly id?: number;
  readonly name?: string;
}

export interface FileEntry extends NodeEntry {
  readonly mode?: number;
  readonly contents?: ResourceEntry;
  readonly append?: readonly ResourceEntry[];
}

export interface DirectoryEntry extends NodeEntry {
  readonly mode?: number;
}

export interface LinkEntry extends NodeEntry {
  readonly target?: string;
  readonly hard?: boolean;
}

export interface ResourceEntry {
  /** A URL. Absent or empty: no content. */
  readonly source?: string;
  readonly compression?: string;
  readonly httpHeaders?: readonly { readonly name?: string; readonly value?: string }[];
  readonly verification?: { readonly hash?: string };
}

export interface UnitEntry {
  readonly name?: string;
  readonly contents?: string;
  readonly enabled?: boolean;
  readonly mask?: boolean;
  readonly dropins?: readonly { readonly name?: string; readonly contents?: string }[];
}

export interface UserEntry {
  readonly name?: string;
  readonly passwordHash?: string;
  readonly sshAuthorizedKeys?: readonly string[];
  readonly [field: string]: unknown;
}

/** Why `append` is refused, in every version. */
export const appendDetail = "write the whole file: what is appended again at every update grows";
