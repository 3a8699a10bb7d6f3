/** A version as Scylla's images have it in their tag: of a year, such as 2025.1.5, or of an open source release, such as 6.2.0. */
const version = /^(\d+)\.(\d+)(?:\.\d+)*(?:[-+~].*)?$/;

/** The tag of an image. Undefined: it has none. */
export function imageTag(image: string): string | undefined {
  const name = image.split("@")[0] ?? "";
  const last = name.slice(name.lastIndexOf("/") + 1);
  const colon = last.indexOf(":");
  return colon < 0 ? undefined : last.slice(colon + 1);
}

/**
 * Whether the script of a Scylla image has the option `--write-back-cache`: since 2021.0 and, of the open source releases, since 4.6,
 * the first after the option was added. Undefined: the tag is no version.
 */
export function hasWriteBackCacheOption(image: string): boolean | undefined {
  const [, major, minor] = version.exec(imageTag(image) ?? "") ?? [];
  if (major === undefined) return undefined;
  const [first, second] = [Number(major), Number(minor)];
  return first >= 2021 || (first < 2000 && (first > 4 || (first === 4 && second >= 6)));
}
