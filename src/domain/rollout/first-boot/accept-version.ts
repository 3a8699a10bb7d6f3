const mediaType = "application/vnd.coreos.ignition+json";

/** What is served: a version of 3.x as asked for, at most this one. */
const newest = 5;

/**
 * The version of Ignition in which a client wants its config, by its Accept header: the best one that is served. Undefined
 * where there is none.
 */
export function acceptedVersion(header: string): string | undefined {
  const wanted = header.split(",").flatMap((range, index) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const values = new Map(
      parameters.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]),
    );
    const version = type === mediaType ? served(values.get("version") ?? "") : undefined;
    return version === undefined ? [] : [{ version, quality: Number(values.get("q") ?? 1), index }];
  });
  return wanted.toSorted((a, b) => b.quality - a.quality || a.index - b.index)[0]?.version;
}

/** Every 3.x, newer ones as the newest known; of the older ones only the last. */
function served(version: string): string | undefined {
  const [, major, minor] = /^([0-9]{1,3})\.([0-9]{1,3})(?:\.[0-9]+)?$/.exec(version) ?? [];
  if (major === "3") return `3.${Math.min(Number(minor), newest)}.0`;
  return major === "2" && Number(minor) >= 2 ? "2.2.0" : undefined;
}
