import { canonical, get, isObject } from "../../../language/object/json.ts";
import type { ObjectMeta } from "../../../language/object/meta.ts";
import { group } from "../api.ts";

/** What other versions say of an object's spec and its own version cannot. Whoever removes it removes that, too. */
export const conversionAnnotation = `${group}/conversion-data`;

/** Parts of a spec by the version that says them; `null` is a field that it leaves unsaid where this version must speak. */
export interface ConversionData {
  readonly v1: Readonly<Record<string, unknown>>;
  readonly v2: Readonly<Record<string, unknown>>;
}

/** Anybody may write annotations: what is no data of ours is none. */
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

/** The same data always make the same text, so that reading and writing back is no change. */
export function withConversionData(metadata: ObjectMeta, data: ConversionData): ObjectMeta {
  const { annotations, ...rest } = metadata;
  // Files may say `annotations:` and nothing more.
  const { [conversionAnnotation]: before, ...others } = annotations ?? {};
  const parts = Object.fromEntries(Object.entries(data).filter(([, part]) => Object.keys(part as object).length > 0));
  if (Object.keys(parts).length > 0)
    return { ...rest, annotations: { ...others, [conversionAnnotation]: canonical(parts) } };
  if (before === undefined) return metadata;
  return Object.keys(others).length > 0 ? { ...rest, annotations: others } : rest;
}
