import type { MachineContents, MachineFile, MachineUnit, MachineUser } from "../machine-contents.ts";

/** What differs between two configs, by decoded content: another spelling of the same bytes is no change. */
export interface Changes {
  readonly files: readonly FileChange[];
  /** Paths. */
  readonly directories: readonly string[];
  /** Paths. */
  readonly links: readonly string[];
  /** Names. */
  readonly units: readonly string[];
  /** Names of users whose keys or password differ. */
  readonly users: readonly string[];
  readonly kernelArguments: boolean;
  readonly kernelType: boolean;
  readonly extensions: boolean;
  readonly fips: boolean;
  readonly osImage: boolean;
}

export interface FileChange {
  readonly path: string;
  /** Absent: the file is added. */
  readonly before?: MachineFile | undefined;
  /** Absent: the file is removed. */
  readonly after?: MachineFile | undefined;
}

/** In order of path or name. */
export function changesBetween(old: MachineContents, wanted: MachineContents): Changes {
  return {
    files: pairs(old.files, wanted.files, "path", isSameFile).map(([path, before, after]) => ({ path, before, after })),
    directories: pairs(old.directories, wanted.directories, "path", isSameText).map(([path]) => path),
    links: pairs(old.links, wanted.links, "path", isSameText).map(([path]) => path),
    units: pairs(old.units, wanted.units, "name", isSameUnit).map(([name]) => name),
    users: pairs(old.users, wanted.users, "name", isSameUser).map(([name]) => name),
    kernelArguments: !isSameText(old.kernelArguments, wanted.kernelArguments),
    kernelType: old.kernelType !== wanted.kernelType,
    extensions: !isSameText(old.extensions, wanted.extensions),
    fips: old.fips !== wanted.fips,
    osImage: old.osImageURL !== wanted.osImageURL,
  };
}

/** Attune installs no kernel, package or operating system: a restart would bring none of them. Nodes report what they lack. */
export function withoutInstalled(changes: Changes): Changes {
  return { ...changes, kernelType: false, extensions: false, osImage: false, fips: false };
}

type Pair<T> = [key: string, before: T | undefined, after: T | undefined];

function pairs<T, K extends keyof T>(
  old: readonly T[],
  wanted: readonly T[],
  key: K,
  isSame: (a: T, b: T) => boolean,
): Pair<T>[] {
  const [before, after] = [old, wanted].map((list) => new Map(list.map((one) => [String(one[key]), one])));
  const keys = [...new Set([...before!.keys(), ...after!.keys()])].toSorted();
  return keys
    .map((name): Pair<T> => [name, before!.get(name), after!.get(name)])
    .filter(([, a, b]) => !(a && b && isSame(a, b)));
}

function isSameFile({ bytes: a, ...one }: MachineFile, { bytes: b, ...other }: MachineFile): boolean {
  return isSameText(one, other) && a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function isSameUnit(a: MachineUnit, b: MachineUnit): boolean {
  return isSameText(partsOf(a), partsOf(b));
}

/** Absent contents and empty ones are the same; absent switches differ from false. */
function partsOf({ contents = "", isEnabled, isMasked, dropins }: MachineUnit): unknown {
  return [
    contents,
    String(isEnabled),
    String(isMasked),
    dropins.map((one) => JSON.stringify([one.name, one.contents])).toSorted(),
  ];
}

function isSameUser(a: MachineUser, b: MachineUser): boolean {
  return isSameText([a.keys, a.passwordHash ?? null], [b.keys, b.passwordHash ?? null]);
}

/** Of values whose keys stand in the same order. */
function isSameText(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function isEmpty(changes: Changes): boolean {
  return Object.values(changes).every((one) => (Array.isArray(one) ? one.length === 0 : one === false));
}
