const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const replacements: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/** The name under which expressions see a property: `a-b` is `a__dash__b`. Undefined where no name can be made. */
export function escapeName(property: string): string | undefined {
  if (reserved.has(property)) return `__${property}__`;
  const escaped = property.replaceAll(/__|[.\-/]/g, (part) => replacements.get(part) ?? part);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}
