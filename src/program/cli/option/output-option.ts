/** Kubectl's `-o`, of which each command has some. */
export function outputOption<T extends string>(value: unknown, formats: readonly T[]): T {
  const format = formats.find((one) => one === value);
  if (format === undefined) throw new Error(`-o ${String(value)}: not one of ${formats.join(", ")}`);
  return format;
}

/** Data as `-o json` and `-o yaml` print it. */
export async function serialised(data: unknown, format: "json" | "yaml"): Promise<string> {
  if (format === "json") return `${JSON.stringify(data, null, 2)}\n`;
  const { writeYaml } = await import("../../../language/object/write-yaml.ts");
  return writeYaml(data);
}
