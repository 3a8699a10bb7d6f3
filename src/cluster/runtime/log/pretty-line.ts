import pc from "picocolors";

const marks: Record<string, (text: string) => string> = {
  debug: (text) => pc.dim(text),
  info: (text) => pc.green(text),
  warn: (text) => pc.yellow(text),
  error: (text) => pc.red(text),
};

/** A JSON log line as a person reads it: `12:34:56.789 info  message key=value`. */
export function prettyLine(json: string): string {
  const { level, time, name, message, error, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const label = String(level);
  const parts = [
    pc.dim(String(time).slice(11, 23)),
    (marks[label] ?? String)(label.padEnd(5)),
    ...(name === undefined ? [] : [pc.dim(`${text(name)}:`)]),
    text(message),
    ...Object.entries(fields).map(([key, value]) => `${pc.dim(`${key}=`)}${text(value)}`),
    ...(error === undefined ? [] : [`${pc.dim("error=")}${text(errorMessage(error))}`]),
  ];
  return `${parts.join(" ")}\n`;
}

function errorMessage(error: unknown): unknown {
  return typeof error === "object" && error !== null && "message" in error ? error.message : error;
}

/** One line whatever is in it: no value can forge a second one. */
function text(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  return /[\p{Cc}]/u.test(value) ? JSON.stringify(value) : value;
}
