/**
 * What a rendered config puts on a node, decoded. Two configs with equal contents are equal for a node, however their files
 * are encoded. Hashes, differences, costs, writes and checks are made from it, and never from the URLs in Ignition.
 */
export interface MachineContents {
  readonly files: readonly MachineFile[];
  readonly directories: readonly MachineDirectory[];
  readonly links: readonly MachineLink[];
  readonly units: readonly MachineUnit[];
  readonly users: readonly MachineUser[];
  /** One argument each, in order: quotes kept, blanks between them gone. */
  readonly kernelArguments: readonly string[];
  readonly kernelType: KernelType;
  readonly extensions: readonly string[];
  readonly fips: boolean;
  /** Empty: the node keeps its operating system. */
  readonly osImageURL: string;
}

export type KernelType = "default" | "realtime" | "64k-pages";

/** In characters, on amd64 and arm64: the kernel has 2048 bytes for it, with one at its end, and ignores the rest. */
export const longestCommandLine = 2047;

export function tooLong(length: number): string {
  return `the kernel reads at most ${longestCommandLine} characters of its command line, and this one would have ${length}`;
}

export interface MachineFile extends Ownership {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
}

export interface MachineDirectory extends Ownership {
  readonly path: string;
  readonly mode: number;
}

export interface MachineLink extends Ownership {
  readonly path: string;
  readonly target: string;
  readonly isHard: boolean;
}

/** Absent: root. */
export interface Ownership {
  readonly user?: Account | undefined;
  readonly group?: Account | undefined;
}

export type Account = { readonly type: "id"; readonly id: number } | { readonly type: "name"; readonly name: string };

/** Absent fields are left as the node has them. */
export interface MachineUnit {
  readonly name: string;
  readonly contents?: string | undefined;
  readonly isEnabled?: boolean | undefined;
  readonly isMasked?: boolean | undefined;
  readonly dropins: readonly { readonly name: string; readonly contents: string }[];
}

export interface MachineUser {
  readonly name: string;
  readonly keys: readonly string[];
  readonly passwordHash?: string | undefined;
}

/** Of a node without a config. */
export const emptyContents: MachineContents = {
  files: [],
  directories: [],
  links: [],
  units: [],
  users: [],
  kernelArguments: [],
  kernelType: "default",
  extensions: [],
  fips: false,
  osImageURL: "",
};
