import { isError, isThreadDeath, type LogRecord } from "./log-record.ts";

/** How applying one profile ended, according to TuneD's log. */
export type Ending =
  | { readonly type: "applied" }
  /** TuneD keeps running without a profile. */
  | { readonly type: "refused"; readonly message: string }
  /** The tuning thread has died; the process lives on and logs nothing more. */
  | { readonly type: "died"; readonly record: LogRecord };

/** A sysctl file of the node that won over the profile. */
export interface Override {
  readonly parameter: string;
  readonly from: string;
  readonly to: string;
}

const mostRecords = 200;
const refusals = ["Cannot set initial profile. No tunings will be enabled: ", "Failed to reload TuneD: "];

/** What TuneD logs from one start or reload to the next. */
export class Round {
  readonly profile: string;
  readonly errors: LogRecord[] = [];
  readonly warnings: LogRecord[] = [];
  readonly overrides: Override[] = [];
  ending: Ending | undefined;
  /** During a reload, errors before the new profile is loaded belong to the old one. */
  #loading: boolean;

  constructor(profile: string, by: "start" | "reload") {
    this.profile = profile;
    this.#loading = by === "start";
  }

  /** Whether the record ended the round. "Applied" only means that TuneD has gone through the profile. */
  read(record: LogRecord): boolean {
    const { logger, message } = record;
    if (logger === "tuned.profiles.loader" && /^loading profiles?: /.test(message)) this.#loading = true;
    if (isError(record)) keep(this.#loading ? this.errors : this.warnings, record);
    else if (record.level === "WARNING") keep(this.warnings, record);
    const override = overrideIn(record);
    if (override && override.from !== override.to) keep(this.overrides, override);
    if (this.ending?.type === "died") return false;
    const ending = this.#endingIn(record);
    // The thread may die after the profile was applied.
    if (ending === undefined || (this.ending !== undefined && ending.type !== "died")) return false;
    this.ending = ending;
    return true;
  }

  #endingIn(record: LogRecord): Ending | undefined {
    if (record.level === "UNLOGGED") return isThreadDeath(record.message) ? { type: "died", record } : undefined;
    if (record.level === "INFO" && record.message === `static tuning from profile '${this.profile}' applied`)
      return { type: "applied" };
    const refusal = record.level === "ERROR" && refusals.find((words) => record.message.startsWith(words));
    return refusal ? { type: "refused", message: record.message.slice(refusal.length) } : undefined;
  }
}

function overrideIn({ level, logger, message }: LogRecord): Override | undefined {
  if (level !== "INFO" || logger !== "tuned.plugins.plugin_sysctl") return undefined;
  const [, parameter, from, to] = /^Overriding sysctl parameter '(.*)' from '(.*)' to '(.*)'$/.exec(message) ?? [];
  return parameter === undefined || from === undefined || to === undefined ? undefined : { parameter, from, to };
}

/** Limits the memory for a daemon that logs without end; the first records are the most useful. */
function keep<T>(list: T[], one: T): void {
  if (list.length < mostRecords) list.push(one);
}
