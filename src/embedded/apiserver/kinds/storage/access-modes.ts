import { type FieldError, forbidden, notSupported } from "../../../../language/schema/field-error.ts";

const short: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** `RWO,RWX`, always in the same order. */
export function shortAccessModes(modes: readonly string[]): string {
  return Object.keys(short)
    .filter((mode) => modes.includes(mode))
    .map((mode) => short[mode])
    .join(",");
}

export function validateAccessModes(modes: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const mode of modes)
    if (!Object.hasOwn(short, mode)) errors.push(notSupported(field, mode, Object.keys(short).toSorted()));
  if (modes.includes("ReadWriteOncePod") && modes.length > 1)
    errors.push(forbidden(field, "may not use ReadWriteOncePod with other access modes"));
  return errors;
}
