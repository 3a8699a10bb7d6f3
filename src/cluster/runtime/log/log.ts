import pc from "picocolors";
import type { Logger } from "pino";
import { type Clock, systemClock } from "../clock.ts";
import { redact, redactText } from "./redact.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, unknown>>;
type Write = (fields: LogFields, message: string) => void;

/** The log of a program. Pass an error as the field `error`. */
export interface Log {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  /** The same log with these fields on every line. */
  child(fields: LogFields): Log;
}

export interface LogOptions {
  /** Default `info`. */
  level?: LogLevel | "silent" | undefined;
  /** The program or the part that logs. */
  name?: string | undefined;
  /** Default: standard error. */
  destination?: { write(text: string): unknown; readonly isTTY?: boolean };
  /** Readable lines instead of JSON. Default: if the destination is a terminal. */
  pretty?: boolean | undefined;
  clock?: Clock | undefined;
}

const levels = ["debug", "info", "warn", "error"] as const;

export const noLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => noLog };

/** A log written by pino, which only this function loads. */
export async function createLog(options: LogOptions = {}): Promise<Log> {
  const { level = "info", name, destination = process.stderr, clock = systemClock } = options;
  const { default: pino } = await import("pino");
  const pretty = options.pretty ?? destination.isTTY === true;
  const logger = pino(
    {
      level,
      base: name ? { name } : {},
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: "message",
      errorKey: "error",
      // Errors are objects already; pino's own serializer would append the message of each cause.
      serializers: { error: (error: unknown) => error },
    },
    { write: (line: string) => void destination.write(pretty ? prettyLine(line) : line) },
  );
  return wrap(logger);
}

function wrap(logger: Logger): Log {
  const write = (level: LogLevel): Write => {
    // A line below the level is neither copied nor redacted.
    if (!logger.isLevelEnabled(level)) return () => {};
    return (fields, message) => logger[level](redact(fields) as object, redactText(message));
  };
  const [debug, info, warn, error] = levels.map(write) as [Write, Write, Write, Write];
  return { debug, info, warn, error, child: (fields) => wrap(logger.child(redact(fields) as LogFields)) };
}

const marks: Record<string, (text: string) => string> = {
  debug: (text) => pc.dim(text),
  info: (text) => pc.green(text),
  warn: (text) => pc.yellow(text),
  error: (text) => pc.red(text),
};

/** A JSON log line in readable form: `12:34:56.789 info  message key=value`. */
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

/** Escapes control characters, so that no value can forge a second line. */
function text(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  return /[\p{Cc}]/u.test(value) ? JSON.stringify(value) : value;
}
