import { dns1035Label, type NameRule } from "../../../language/object/names.ts";
import { invalid, required, type FieldError } from "../../../language/schema/field-error.ts";
import type { DefinitionNames } from "./definition.ts";

/** The names of a definition: plural, singular, kind and listKind are required, each a DNS label. */
export function validateNames(names: DefinitionNames, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["plural", "singular", "kind", "listKind"] as const)
    if (!names[field]) errors.push(required(`${path}.${field}`));

  errors.push(...check(`${path}.plural`, names.plural, dns1035Label));
  errors.push(...check(`${path}.singular`, names.singular, dns1035Label));
  errors.push(...check(`${path}.kind`, names.kind, mixedCaseLabel));
  errors.push(...check(`${path}.listKind`, names.listKind, mixedCaseLabel));
  for (const [i, shortName] of (names.shortNames ?? []).entries())
    errors.push(...check(`${path}.shortNames[${i}]`, shortName, dns1035Label));
  if (names.kind && names.kind === names.listKind)
    errors.push(invalid(`${path}.listKind`, names.listKind, "kind and listKind may not be the same"));
  for (const [i, category] of (names.categories ?? []).entries())
    errors.push(...check(`${path}.categories[${i}]`, category, dns1035Label));
  return errors;
}

function check(path: string, name: string | undefined, rule: NameRule): FieldError[] {
  const reasons = name ? rule(name) : [];
  return reasons.length > 0 ? [invalid(path, name, reasons.join(","))] : [];
}

const mixedCaseLabel: NameRule = (name) => {
  const reasons = dns1035Label(name.toLowerCase());
  return reasons.length > 0 ? [`may have mixed case, but should otherwise match: ${reasons.join(",")}`] : [];
};
