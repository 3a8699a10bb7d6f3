/** Node's texts of system errors: `EACCES: permission denied, mkdir '/x'`; without a path where the file is open already. */
const about = String.raw`\b(E[A-Z0-9]+): ([^,\n]+), (\w+)`;
const withPath = new RegExp(`${about} '([^'\\n]*)'`, "g");
const withoutPath = new RegExp(about, "g");

/** The message of an error in the order of other messages: `mkdir /x: permission denied (EACCES)`. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(withPath, "$3 $4: $2 ($1)").replaceAll(withoutPath, "$3: $2 ($1)");
}
