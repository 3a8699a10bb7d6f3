/** A number as Go's `%v` prints it: an exponent of two digits, from 1e21 up and below 1e-4. */
export function goNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e21)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
