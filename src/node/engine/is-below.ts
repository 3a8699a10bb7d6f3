/** Whether a path, links on its way followed, lies in one of these directories. */
export function isBelow(path: string, directories: readonly string[]): boolean {
  if (path.split("/").includes("..")) return false;
  return directories.some((directory) => path.startsWith(directory.endsWith("/") ? directory : `${directory}/`));
}
