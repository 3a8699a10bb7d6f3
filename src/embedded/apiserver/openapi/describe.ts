import { isObject } from "../../../language/object/json.ts";
import texts from "./descriptions.json" with { type: "json" };

type Texts = Readonly<Record<string, string>>;

const byKind = texts as unknown as Readonly<Record<string, Texts>>;
const ofAnyKind = byKind["*"] as Texts;

const textOf = (of: Texts | undefined, key: string): string | undefined =>
  of && Object.hasOwn(of, key) ? of[key] : undefined;

/** The description of a field that has the same meaning in all kinds. */
export const describedEverywhere = (field: "apiVersion" | "kind" | "metadata"): string => ofAnyKind[field] as string;

/** A built-in component with descriptions of itself and its fields, where there are any: `kubectl explain` prints them. */
export function described(name: string, component: unknown): unknown {
  if (!isObject(component)) return component;
  const own = byKind[name.slice(name.lastIndexOf(".") + 1)];
  const { properties } = component;
  const shown: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(isObject(properties) ? properties : {})) {
    const description = textOf(own, field) ?? textOf(ofAnyKind, field);
    shown[field] = description && isObject(schema) ? { description, ...schema } : schema;
  }
  const description = textOf(own, "");
  return {
    ...(description ? { description } : {}),
    ...component,
    ...(isObject(properties) ? { properties: shown } : {}),
  };
}
