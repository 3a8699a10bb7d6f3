import { serialQueue } from "../../host/serial-queue.ts";
import { exitText, type DaemonProcess, type Exit, type Launch, type Timer } from "./launch.ts";
import { LogReader, type LogRecord, isError } from "./log-record.ts";
import { Round } from "./round.ts";

export interface SupervisorOptions {
  readonly launch: Launch;
  readonly timer: Timer;
  /** Ends supervision: the daemon is killed, its settings stay. */
  readonly signal: AbortSignal;
  readonly argv?: readonly string[];
  /** How long a profile may take. Default 60 s. */
  readonly applyTimeoutMs?: number;
  /** How long the daemon may take to undo and end before it is killed. Default 10 s. */
  readonly stopTimeoutMs?: number;
  /** Wait before the first restart after a crash, doubled with each further one. Default 1 s, at most 5 min. */
  readonly restartMs?: number;
  readonly onEvent?: (event: DaemonEvent) => void;
  /** Called with every record of its log. */
  readonly onRecord?: (record: LogRecord) => void;
}

/** The result of one start or reload. */
export interface Outcome {
  readonly type: "applied" | "refused" | "died" | "hung" | "exited";
  /** Why the profile was not applied; empty if it was. */
  readonly message: string;
  readonly round: Round;
}

/** What happens between operations. */
export type DaemonEvent =
  | { readonly type: "crashed"; readonly message: string; readonly restartInMs: number }
  | { readonly type: "restarted"; readonly outcome: Outcome }
  /** An error after the profile was applied, as for a new device. */
  | { readonly type: "complaint"; readonly record: LogRecord };

export const daemonArgv = ["tuned", "--no-dbus", "--no-socket", "--pid", "/run/attune/tuned.pid"] as const;

const longestRestart = 300_000;
const reasonMs = 500;

interface Running {
  readonly process: DaemonProcess;
  readonly reader: LogReader;
  profile: string;
  round: Round;
  /** Called when the round ends. */
  ended: (() => void) | undefined;
  /** Whether the supervisor ends it: otherwise its end is a crash. */
  expected: boolean;
}

/**
 * Keeps one TuneD daemon running. Operations run one after another: a reload is sent only after the last one has ended,
 * because TuneD 2.20 would otherwise take tuned values for originals.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #enqueue = serialQueue();
  #running: Running | undefined;
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

  /** Whether the daemon was started over tuned values: then it would not restore the originals. */
  get startedOverTuned(): boolean {
    return this.#overTuned;
  }

  /** Whether the daemon logs at debug level. */
  get debug(): boolean {
    return this.#running !== undefined && this.#debug;
  }

  /** Waits for the running operation, and cancels a pending restart. */
  async quiet(): Promise<void> {
    this.#cancelPendingRestart();
    await this.#enqueue(async () => this.#cancelPendingRestart());
  }

  start(profile: string, { overTuned = false, debug = false } = {}): Promise<Outcome> {
    return this.#enqueue(() => {
      this.#cancelPendingRestart();
      this.#crashes = 0;
      this.#debug = debug;
      return this.#start(profile, overTuned);
    });
  }

  /** Makes the daemon undo its profile and apply the one that its files now name. */
  reload(profile: string): Promise<Outcome> {
    return this.#enqueue(async () => {
      const running = this.#running;
      if (!running) return this.#start(profile, false);
      running.profile = profile;
      running.round = new Round(profile, "reload");
      running.process.kill("SIGHUP");
      return this.#outcome(running);
    });
  }

  /**
   * `undo`: the daemon restores the originals that it knows. `keep`: it is killed before it can. Returns whether it ended
   * by itself.
   */
  stop(how: "undo" | "keep"): Promise<boolean> {
    return this.#enqueue(async () => {
      this.#cancelPendingRestart();
      const exit = this.#running && (await this.#end(this.#running, how));
      return exit?.type === "exited" && exit.signal === null;
    });
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
    // A daemon whose tuning thread has died answers no signal and undoes nothing.
    if (over && ended) this.#options.timer.after(reasonMs, () => running.process.kill("SIGKILL"));
  }

  /** Waits until the round or the daemon ends, or the time is up. */
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
    // While the round lasts, the end of the process is its outcome, not a crash.
    running.expected = true;
    const first = await Promise.race([ended, exited, hung]);
    cancel();
    if (first.type === "exited") return { type: "exited", message: endText(round, first.exit), round };
    if (first.type === "hung") {
      await this.#end(running, "keep");
      return {
        type: "hung",
        message: `TuneD did not apply the profile within ${applyTimeoutMs / 1000} s and was killed`,
        round,
      };
    }
    const ending = round.ending;
    if (ending?.type === "applied") {
      running.expected = false;
      return { type: "applied", message: "", round };
    }
    if (ending?.type === "died") await this.#waitForReason(exited);
    await this.#end(running, ending?.type === "refused" ? "undo" : "keep");
    if (ending?.type === "refused") return { type: "refused", message: ending.message, round };
    return { type: "died", message: `TuneD's tuning thread died: ${ending?.record.message ?? ""}`, round };
  }

  /** Python prints the reason after the line that reports the death of a thread. */
  async #waitForReason(exited: Promise<unknown>): Promise<void> {
    let cancel: () => void = () => undefined;
    const spoken = new Promise<void>((resolve) => {
      cancel = this.#options.timer.after(reasonMs, resolve);
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
    const restartInMs = this.#nextRestartDelay();
    this.#options.onEvent?.({ type: "crashed", message: endText(running.round, exit), restartInMs });
    this.#restartLater(running.profile, restartInMs);
  }

  #restartLater(profile: string, ms: number): void {
    this.#cancelPendingRestart();
    this.#cancelRestart = this.#options.timer.after(ms, () => {
      void this.#enqueue(async () => {
        if (!this.#cancelRestart) return;
        this.#cancelRestart = undefined;
        const outcome = await this.#start(profile, true);
        this.#options.onEvent?.({ type: "restarted", outcome });
        if (outcome.type !== "applied" && !this.#options.signal.aborted)
          this.#restartLater(profile, this.#nextRestartDelay());
      });
    });
  }

  /** The delay doubles with each crash, until the daemon has run longer than the longest delay. */
  #nextRestartDelay(): number {
    const { restartMs = 1000, timer } = this.#options;
    this.#cancelForget?.();
    const wait = Math.min(longestRestart, restartMs * 2 ** this.#crashes++);
    this.#cancelForget = timer.after(wait + longestRestart, () => {
      this.#crashes = 0;
    });
    return wait;
  }

  #cancelPendingRestart(): void {
    this.#cancelRestart?.();
    this.#cancelRestart = undefined;
  }
}

/** How the daemon ended, with its last error. */
function endText({ errors }: Round, exit: Exit): string {
  const words = errors.at(-1)?.message;
  return `TuneD ${exitText(exit)}${words === undefined ? "" : `: ${words}`}`;
}
