import type { KubeObject } from "../../../language/object/meta.ts";

type HasMetadata = Pick<KubeObject, "metadata">;

/** The 32-bit count in an annotation; undefined if there is none or it is malformed. */
export function countIn({ metadata }: HasMetadata, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^\d{1,10}$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}

/** The oldest first; those of the same second by name. */
export function byAge(a: HasMetadata, b: HasMetadata): number {
  const [first, second] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
