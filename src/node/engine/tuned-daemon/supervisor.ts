import { exitText, type DaemonProcess, type Exit, type Launch, type Timer } from "./launch.ts";
import { LogReader, type LogRecord, isError } from "./log-record.ts";
import { Round } from "./round.ts";

export interface SupervisorOptions {
  readonly launch: Launch;
  readonly timer: Timer;
  /** Ends supervision: the daemon is killed, what it set stays. */
  readonly signal: AbortSignal;
  readonly argv?: readonly string[];
  /** How long a profile may take. Default 60 s. */
  readonly applyTimeoutMs?: number;
  /** How long the daemon may take to undo and end before it is killed. Default 10 s. */
  readonly stopTimeoutMs?: number;
  /** Wait before the first restart after a crash, doubled with each further one. Default 1 s, at most 5 min. */
  readonly restartMs?: number;
  readonly onEvent?: (event: DaemonEvent) => void;
  /** Every line of its log. */
  readonly onRecord?: (record: LogRecord) => void;
}

/** What one start or reload came to. */
export interface Outcome {
  readonly type: "applied" | "refused" | "died" | "hung" | "exited";
  /** Why it did not come to an end; empty when it did. */
  readonly message: string;
  readonly round: Round;
}

/** What nobody asked for. */
export type DaemonEvent =
  | { readonly type: "crashed"; readonly message: string; readonly restartInMs: number }
  | { readonly type: "restarted"; readonly outcome: Outcome }
  /** A complaint after the profile was applied, as when a device comes. */
  | { readonly type: "complaint"; readonly record: LogRecord };

export const daemonArgv = ["tuned", "--no-dbus", "--no-socket", "--pid", "/run/attune/tuned.pid"] as const;

const longestRestart = 300_000;
const lastWordsMs = 500;

interface Running {
  readonly process: DaemonProcess;
  readonly reader: LogReader;
  profile: string;
  round: Round;
  /** Called when the round ends. */
  ended: (() => void) | undefined;
  /** Ends of its own accord are crashes; those we bring about are not. */
  expected: boolean;
}

/**
 * Keeps one TuneD daemon running. Its operations come one after another: a reload is never sent before the last one was
 * answered, as TuneD up to 2.20 then takes tuned values for originals.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #running: Running | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #cancelRestart: (() => void) | undefined;
  #cancelForget: (() => void) | undefined;
  #crashes = 0;
  #overTuned = false;
  #debug = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  get pid(): number | undefined {
    return this.#running?.process.pid;
  }

  /** Whether the daemon began where values were tuned already: what it would put back are not the originals. */
  get startedOverTuned(): boolean {
    return this.#overTuned;
  }

  /** Whether the daemon that runs was started to tell all it does. */
  get debug(): boolean {
    return this.#running !== undefined && this.#debug;
  }

  /** Afterwards nothing is under way and nothing starts unasked until the next start. */
  async quiet(): Promise<void> {
    this.#takeBackRestart();
    await this.#inTurn(async () => this.#takeBackRestart());
  }

  start(profile: string, { overTuned = false, debug = false } = {}): Promise<Outcome> {
    return this.#inTurn(() => {
      this.#takeBackRestart();
      this.#crashes = 0;
      this.#debug = debug;
      return this.#start(profile, overTuned);
    });
  }

  /** The daemon undoes the profile it has and applies the one that its files now name. */
  reload(profile: string): Promise<Outcome> {
    return this.#inTurn(async () => {
      const running = this.#running;
      if (!running) return this.#start(profile, false);
      running.profile = profile;
      running.round = new Round(profile, "reload");
      running.process.kill("SIGHUP");
      return this.#outcome(running);
    });
  }

  /**
   * `undo`: it puts back what it set, as far as it knows. `keep`: it is gone before it can. Says whether it ended by
   * itself.
   */
  stop(how: "undo" | "keep"): Promise<boolean> {
    return this.#inTurn(async () => {
      this.#takeBackRestart();
      const exit = this.#running && (await this.#end(this.#running, how));
      return exit?.type === "exited" && exit.signal === null;
    });
  }

  #inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(operation);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  async #start(profile: string, overTuned: boolean): Promise<Outcome> {
    const { launch, signal, argv = daemonArgv } = this.#options;
    if (this.#running) await this.#end(this.#running, "keep");
    const round = new Round(profile, "start");
    if (signal.aborted) return { type: "exited", message: "the engine is being shut down", round };
    const reader = new LogReader();
    const running: Running = {
      process: launch(this.#debug ? [...argv, "--debug"] : argv, (line) => this.#read(running, line)),
      reader,
      profile,
      round,
      ended: undefined,
      expected: false,
    };
    this.#running = running;
    this.#overTuned = overTuned;
    const abort = (): void => {
      running.expected = true;
      running.process.kill("SIGKILL");
    };
    signal.addEventListener("abort", abort, { once: true });
    void this.#watch(running, () => signal.removeEventListener("abort", abort));
    return this.#outcome(running);
  }

  async #watch(running: Running, ended: () => void): Promise<void> {
    const exit = await running.process.exited;
    ended();
    this.#gone(running, exit);
  }

  #read(running: Running, line: string): void {
    const record = running.reader.read(line);
    if (!record) return;
    this.#options.onRecord?.(record);
    const { round } = running;
    const over = round.ending !== undefined;
    const ended = round.read(record);
    if (ended) running.ended?.();
    if (over && !running.expected && isError(record)) this.#options.onEvent?.({ type: "complaint", record });
    // A daemon whose tuning thread is dead answers nothing any more, and undoes nothing.
    if (over && ended) this.#options.timer.after(lastWordsMs, () => running.process.kill("SIGKILL"));
  }

  /** Waits until the round ends, the daemon does, or time is up. */
  async #outcome(running: Running): Promise<Outcome> {
    const { timer, applyTimeoutMs = 60_000 } = this.#options;
    const { round } = running;
    const exited = running.process.exited.then((exit) => ({ type: "exited" as const, exit }));
    let cancel: () => void = () => undefined;
    const hung = new Promise<{ type: "hung" }>((resolve) => {
      cancel = timer.after(applyTimeoutMs, () => resolve({ type: "hung" }));
    });
    const ended = new Promise<{ type: "ended" }>((resolve) => {
      running.ended = () => resolve({ type: "ended" });
    });
    // Until it is known what came of it, an end of the process is this round's outcome, not a crash.
    running.expected = true;
    const first = await Promise.race([ended, exited, hung]);
    cancel();
    if (first.type === "exited") return { type: "exited", message: lastWords(round, first.exit), round };
    if (first.type === "hung") {
      await this.#end(running, "keep");
      return { type: "hung", message: `TuneD was not done after ${applyTimeoutMs / 1000} s and was killed`, round };
    }
    const ending = round.ending;
    if (ending?.type === "applied") {
      running.expected = false;
      return { type: "applied", message: "", round };
    }
    if (ending?.type === "died") await this.#lastWords(exited);
    await this.#end(running, ending?.type === "refused" ? "undo" : "keep");
    if (ending?.type === "refused") return { type: "refused", message: ending.message, round };
    return { type: "died", message: `TuneD's tuning thread died: ${ending?.record.message ?? ""}`, round };
  }

  /** Why its thread died, a daemon tells only after it told that it did. */
  async #lastWords(exited: Promise<unknown>): Promise<void> {
    let cancel: () => void = () => undefined;
    const spoken = new Promise<void>((resolve) => {
      cancel = this.#options.timer.after(lastWordsMs, resolve);
    });
    await Promise.race([spoken, exited]);
    cancel();
  }

  async #end(running: Running, how: "undo" | "keep"): Promise<Exit> {
    running.expected = true;
    const { process } = running;
    const { timer, stopTimeoutMs = 10_000 } = this.#options;
    const cancel = timer.after(how === "undo" ? stopTimeoutMs : 0, () => process.kill("SIGKILL"));
    process.kill(how === "undo" ? "SIGTERM" : "SIGKILL");
    const exit = await process.exited;
    cancel();
    if (this.#running === running) this.#running = undefined;
    return exit;
  }

  #gone(running: Running, exit: Exit): void {
    if (this.#running === running) this.#running = undefined;
    if (running.expected || this.#options.signal.aborted) return;
    const restartInMs = this.#backOff();
    this.#options.onEvent?.({ type: "crashed", message: lastWords(running.round, exit), restartInMs });
    this.#restartLater(running.profile, restartInMs);
  }

  #restartLater(profile: string, ms: number): void {
    this.#takeBackRestart();
    this.#cancelRestart = this.#options.timer.after(ms, () => {
      void this.#inTurn(async () => {
        if (!this.#cancelRestart) return;
        this.#cancelRestart = undefined;
        const outcome = await this.#start(profile, true);
        this.#options.onEvent?.({ type: "restarted", outcome });
        if (outcome.type !== "applied" && !this.#options.signal.aborted) this.#restartLater(profile, this.#backOff());
      });
    });
  }

  /** Crashes count as one row until the daemon has lived longer than the longest wait. */
  #backOff(): number {
    const { restartMs = 1000, timer } = this.#options;
    this.#cancelForget?.();
    const wait = Math.min(longestRestart, restartMs * 2 ** this.#crashes++);
    this.#cancelForget = timer.after(wait + longestRestart, () => {
      this.#crashes = 0;
    });
    return wait;
  }

  #takeBackRestart(): void {
    this.#cancelRestart?.();
    this.#cancelRestart = undefined;
  }
}

/** What a daemon that ended said of it, if anything. */
function lastWords({ errors }: Round, exit: Exit): string {
  const words = errors.at(-1)?.message;
  return `TuneD ${exitText(exit)}${words === undefined ? "" : `: ${words}`}`;
}
