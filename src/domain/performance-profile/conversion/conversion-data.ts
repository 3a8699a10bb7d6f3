import { canonical, get, isObject } from "../../../language/object/json.ts";
import type { ObjectMeta } from "../../../language/object/meta.ts";
import { group } from "../api.ts";

/** Holds the fields of a spec that the object's own version does not have. A client that removes it loses those fields. */
export const conversionAnnotation = `${group}/conversion-data`;

/** Fields of a spec by the version that has them; `null`: unset there, where this version needs a value. */
export interface ConversionData {
  readonly v1: Readonly<Record<string, unknown>>;
  readonly v2: Readonly<Record<string, unknown>>;
}

/** Any client may write annotations: invalid data is ignored. */
export function conversionData({ annotations }: ObjectMeta): ConversionData {
  const data = parsed(get(annotations, conversionAnnotation));
  const of = (version: string): Record<string, unknown> => {
    const part = get(data, version);
    return isObject(part) ? part : {};
  };
  return { v1: of("v1"), v2: of("v2") };
}

function parsed(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same data always give the same text, so that reading and writing back changes nothing. */
export function withConversionData(metadata: ObjectMeta, data: ConversionData): ObjectMeta {
  const { annotations, ...rest } = metadata;
  // In files, `annotations:` may have no value.
  const { [conversionAnnotation]: before, ...others } = annotations ?? {};
  const parts = Object.fromEntries(Object.entries(data).filter(([, part]) => Object.keys(part as object).length > 0));
  if (Object.keys(parts).length > 0)
    return { ...rest, annotations: { ...others, [conversionAnnotation]: canonical(parts) } };
  if (before === undefined) return metadata;
  return Object.keys(others).length > 0 ? { ...rest, annotations: others } : rest;
}
