import { execFileSync } from "node:child_process";

/** Which version of the project an image is built from. */
export interface Source {
  readonly version: string;
  /** Commit, with `-dirty` if files differ from it. */
  readonly revision: string;
  /** Seconds since 1970: of the commit, so that the same commit gives the same image at any time. */
  readonly time: number;
}

/** A build from an archive of the sources has no commit: SOURCE_DATE_EPOCH and REVISION say what it was. */
export function readSource(root: string, version: string, env: NodeJS.ProcessEnv): Source {
  const { SOURCE_DATE_EPOCH: time, REVISION: revision } = env;
  return {
    version,
    revision: revision || git(root, "describe", "--always", "--abbrev=40", "--match=", "--dirty") || "unknown",
    time: Number(time || git(root, "log", "-1", "--format=%ct") || 0),
  };
}

function git(root: string, ...args: string[]): string {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // No git, or no repository: the image says that its revision is unknown.
    return "";
  }
}
