/** The differences of two responses, as `path: real …, embedded …`. */
export function differences(real: unknown, embedded: unknown, path = ""): string[] {
  if (Object.is(real, embedded)) return [];
  if (Array.isArray(real) && Array.isArray(embedded) && real.length === embedded.length)
    return real.flatMap((item, index) => differences(item, embedded[index], `${path}[${index}]`));
  if (isRecord(real) && isRecord(embedded))
    return [...new Set([...Object.keys(real), ...Object.keys(embedded)])].flatMap((key) =>
      differences(real[key], embedded[key], path === "" ? key : `${path}.${key}`),
    );
  return [`${path}: real ${JSON.stringify(real)}, embedded ${JSON.stringify(embedded)}`];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
