/** As far as it is read here. Bundles have classes of their own, so `instanceof` does not know it. */
interface ApiErrorLike extends Error {
  readonly code: number;
  readonly reason: string;
}

/** What to do about an answer of an API server, in addition to its own words. Empty: these say it. */
export function nextStep(error: unknown): string {
  const found = apiErrorIn(error);
  if (!found) return "";
  const { code, reason, message } = found;
  if (reason === "RequestTimeout")
    return "; it accepts connections, but does not answer: look at its load, and try again";
  if (code === 401)
    return ": the API server does not accept these credentials; log in again, or name others with --kubeconfig or --context";
  // Admission refuses with the same code, and says why.
  if (code === 403 && / cannot \S+ /.test(message))
    return "; ask an administrator for this right, or name another account with --kubeconfig or --context";
  if (code >= 300 && code < 400) return ": it is no Kubernetes API server; check the cluster of the kubeconfig";
  if (code >= 500) return "; that is a failure of the API server: try again, and look at its log if it stays";
  return "";
}

function apiErrorIn(error: unknown): ApiErrorLike | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.name === "ApiError" ? (error as ApiErrorLike) : apiErrorIn(error.cause);
}
