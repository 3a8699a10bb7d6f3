/**
 * Whether the script of a Scylla image has `--write-back-cache`: from version 2021.0.0 on. Open source versions 4 to 6 are
 * lower by their number, as for the Scylla operator. A version that cannot be read counts as too old, since an unknown option would end
 * the script.
 */
export function hasWriteBackCache(image: string): boolean {
  const [tagged = ""] = image.split("@");
  const colon = tagged.lastIndexOf(":");
  const tag = colon > tagged.lastIndexOf("/") ? tagged.slice(colon + 1) : "";
  const major = /^(0|[1-9][0-9]{0,8})\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)(?:[-+][0-9A-Za-z.+-]+)?$/.exec(tag)?.[1];
  return Number(major ?? 0) >= 2021;
}
