/** Node's texts of system errors: `EACCES: permission denied, mkdir '/x'`. */
const systemError = /\b(E[A-Z0-9]+): ([^,\n]+), (\w+) '([^'\n]*)'/g;

/** The message of an error in the order of other messages: `mkdir /x: permission denied (EACCES)`. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(systemError, "$3 $4: $2 ($1)");
}
