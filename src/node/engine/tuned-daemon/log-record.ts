/** One entry of TuneD's log. */
export interface LogRecord {
  /** `UNLOGGED`: output on stderr that is no log entry, such as Python's when a thread dies. */
  readonly level: Level | "UNLOGGED";
  readonly logger: string;
  readonly message: string;
  /** Further lines: the rest of a message, or a traceback. */
  readonly details: readonly string[];
}

export type Level = "DEBUG" | "INFO" | "WARNING" | "ERROR" | "CRITICAL" | "CONSOLE";

const head =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2},[0-9]{3} (DEBUG|INFO|WARNING|ERROR|CRITICAL|CONSOLE) +([\w.]+): (.*)$/;
const longestLine = 2000;
const mostDetails = 50;

interface Growing {
  level: LogRecord["level"];
  logger: string;
  message: string;
  details: string[];
}

/**
 * Groups the lines of a log into records. A record is returned with its first line, because its last line cannot be
 * recognised; `details` grow afterwards.
 */
export class LogReader {
  #last: Growing | undefined;

  /** The record that this line begins; `undefined` when it continues the last one. */
  read(line: string): LogRecord | undefined {
    const text = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
    const [, level, logger = "", message = ""] = head.exec(text) ?? [];
    if (level !== undefined) return this.#begin({ level: level as Level, logger, message, details: [] });
    if (text.trim() === "") return undefined;
    if (this.#last === undefined || (startsTraceback(text) && !isError(this.#last)))
      return this.#begin({ level: "UNLOGGED", logger: "", message: text, details: [] });
    if (this.#last.details.length < mostDetails) this.#last.details.push(text);
    // The message of a Python exception is the last line, not indented, below the traceback.
    if (this.#last.level === "UNLOGGED" && isException(text)) this.#last.message = text;
    return undefined;
  }

  #begin(record: Growing): LogRecord {
    this.#last = record;
    return record;
  }
}

export function isError({ level }: Pick<LogRecord, "level">): boolean {
  return level === "ERROR" || level === "CRITICAL" || level === "UNLOGGED";
}

function startsTraceback(line: string): boolean {
  return line.startsWith("Traceback (most recent call last)") || isThreadDeath(line);
}

export function isThreadDeath(line: string): boolean {
  return line.startsWith("Exception in thread ");
}

function isException(line: string): boolean {
  return !/^\s/.test(line) && !startsTraceback(line) && !/^(During handling of|The above exception)/.test(line);
}
