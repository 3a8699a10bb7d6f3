/** What is wrong with a field that must be a text and say something. Nothing where it does. */
export function textFault(value: unknown): "not set" | "is not a string" | undefined {
  if (value === undefined || value === null || value === "") return "not set";
  return typeof value === "string" ? undefined : "is not a string";
}
