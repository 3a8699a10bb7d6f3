const folders = ["/var/lib/attune", "/run/attune"];

/** Why no config may have a path; undefined for one that it may. Its originals are kept there: nothing could be given back. */
export function refusedPath(path: string): string | undefined {
  const folder = folders.find((one) => path === one || path.startsWith(`${one}/`));
  return folder && `${folder} is Attune's own: it holds what the node was like before`;
}
