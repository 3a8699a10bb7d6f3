/** Field names whose values are never logged, compared without case and without `-` and `_`. */
const secretNames = new Set([
  "token",
  "accesstoken",
  "idtoken",
  "refreshtoken",
  "bearertoken",
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "password",
  "passwd",
  "clientsecret",
  "clientkeydata",
  "privatekey",
]);
const redacted = "[redacted]";
const bearer = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const deepest = 12;

/** A copy that is safe to log, without secrets by field name, credentials inside texts, and the data of Secrets. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= deepest) return "[too deep]";
  if (Array.isArray(value)) return value.map((child) => redact(child, depth + 1));
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value.toJSON();
  const isSecret = (value as { kind?: unknown }).kind === "Secret";
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      name,
      isSecretName(name) || (isSecret && (name === "data" || name === "stringData"))
        ? redacted
        : redact(child, depth + 1),
    ]),
  );
}

export function redactText(text: string): string {
  return text.replace(bearer, `$1 ${redacted}`).replace(privateKey, redacted);
}

function isSecretName(name: string): boolean {
  return secretNames.has(name.toLowerCase().replaceAll("-", "").replaceAll("_", ""));
}

function redactError(error: Error, depth: number): unknown {
  return {
    type: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ""),
    ...(error.cause === undefined || isQuoted(error) ? {} : { cause: redact(error.cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: redact(error.errors.slice(0, 10), depth + 1) } : {}),
  };
}

/** Whether the message says what the cause says: `read x: connect ECONNREFUSED …`. */
function isQuoted({ message, cause }: Error): boolean {
  return cause instanceof Error && cause.message !== "" && message.includes(cause.message);
}
