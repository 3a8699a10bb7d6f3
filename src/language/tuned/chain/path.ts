export function directoryOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash > 0 ? path.slice(0, slash) : path.slice(0, slash + 1);
}

/** `path` relative to `directory`, without `.`, `..` and doubled slashes. */
export function joinPath(directory: string, path: string): string {
  return normalPath(path.startsWith("/") || directory === "" ? path : `${directory}/${path}`);
}

export function normalPath(path: string): string {
  const absolute = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !absolute) parts.push(part);
  }
  return `${absolute ? "/" : ""}${parts.join("/")}` || ".";
}

/** Whether a path lies in one of these directories. Resolve links first. */
export function isBelow(path: string, directories: readonly string[]): boolean {
  if (path.split("/").includes("..")) return false;
  return directories.some((directory) => path.startsWith(directory.endsWith("/") ? directory : `${directory}/`));
}
