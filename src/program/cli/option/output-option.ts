/** Kubectl's `-o`, of which each command has some. */
export function outputOption<T extends string>(value: unknown, formats: readonly T[]): T {
  const format = formats.find((one) => one === value);
  if (format === undefined) throw new Error(`-o ${String(value)}: not one of ${formats.join(", ")}`);
  return format;
}
