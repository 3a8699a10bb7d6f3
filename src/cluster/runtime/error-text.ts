/** Node's texts of system errors: `EACCES: permission denied, mkdir '/x'`; without a path where a file is open already. */
const systemError = /\b(E[A-Z0-9]+): ([^,\n]+), (\w+)(?: '([^'\n]*)')?/g;

/** The message of an error in the order of other messages: `mkdir /x: permission denied (EACCES)`. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(
    systemError,
    (_, code: string, reason: string, call: string, path?: string) =>
      `${path === undefined ? call : `${call} ${path}`}: ${reason} (${code})`,
  );
}
