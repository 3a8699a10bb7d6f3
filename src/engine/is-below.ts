/** Whether a path without `..` lies in one of these directories. */
export function isBelow(path: string, directories: readonly string[]): boolean {
  return directories.some((directory) => path.startsWith(directory.endsWith("/") ? directory : `${directory}/`));
}
