/** Node's texts of system errors: `EACCES: permission denied, mkdir '/x'`; without a path where the file is open already. */
const about = String.raw`\b(E[A-Z0-9]+): ([^,\n]+), (\w+)`;
const withPath = new RegExp(`${about} '([^'\\n]*)'`, "g");
const withoutPath = new RegExp(about, "g");

/** The message of an error in the order of other messages: `mkdir /x: permission denied (EACCES)`. */
export function errorText(error: unknown): string {
  const unreachable = unreachableIn(error);
  const text = unreachable ?? (error instanceof Error ? error.message : String(error));
  return text.replaceAll(withPath, "$3 $4: $2 ($1)").replaceAll(withoutPath, "$3: $2 ($1)");
}

/** Of the ApiError for a request without response: its path is of no use to users. Bundles have classes of their own. */
function unreachableIn(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { reason, request, message } = error as Error & { reason?: string; request?: string };
  if (error.name !== "ApiError" || reason !== "Unreachable" || request === undefined) return unreachableIn(error.cause);
  const why = message.replace(`${request} at `, "");
  return `cannot reach the API server at ${why}; check that it runs, and the cluster of the kubeconfig`;
}
