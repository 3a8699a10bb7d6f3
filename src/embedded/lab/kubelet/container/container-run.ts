import type { Container, ContainerStatus } from "kubernetes-types/core/v1.js";
import { parseTime } from "../../../../language/object/time.ts";
import type { ContainerLog } from "./container-log.ts";

export type ContainerState =
  | { readonly type: "waiting"; readonly reason: string; readonly message?: string }
  | { readonly type: "running"; readonly startedAt: number }
  | Ended;

export interface Ended {
  readonly type: "terminated";
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** Init containers end before others start; sidecars start among them and stay. */
export type Role = "init" | "sidecar" | "main";

/** A program under way, and how to end it. */
export interface RunningProgram {
  /** SIGTERM. */
  terminate(): void;
  /** SIGKILL: whatever it still does is not heard. */
  kill(): void;
  readonly done: Promise<void>;
}

/** One container over its restarts. */
export class ContainerRun {
  readonly name: string;
  readonly role: Role;
  state: ContainerState = { type: "waiting", reason: "ContainerCreating" };
  last: Ended | undefined;
  restarts = 0;
  ready = false;
  /** On the clock that never jumps: when it was started, or when it ended. */
  since = 0;
  /** How long a restart has to wait after the end. */
  backOffMs = 0;
  program: RunningProgram | undefined;
  log: ContainerLog | undefined;
  previousLog: ContainerLog | undefined;

  constructor(name: string, role: Role) {
    this.name = name;
    this.role = role;
  }

  get running(): boolean {
    return this.state.type === "running";
  }

  get ended(): Ended | undefined {
    return this.state.type === "terminated" ? this.state : undefined;
  }

  /** The end of the latest run, also while it waits to be started again. */
  get lastEnd(): Ended | undefined {
    return this.ended ?? (this.state.type === "waiting" ? this.last : undefined);
  }

  started(now: { wall: number; monotonic: number }): void {
    const before = this.lastEnd;
    if (before) {
      this.last = before;
      this.restarts++;
      this.previousLog?.discard();
      this.previousLog = this.log;
      this.log = undefined;
    }
    this.state = { type: "running", startedAt: now.wall };
    this.since = now.monotonic;
  }

  end(exitCode: number, now: { wall: number; monotonic: number }, { reason = "", message = "" } = {}): void {
    if (this.state.type !== "running") return;
    const { startedAt } = this.state;
    const ranMs = now.monotonic - this.since;
    this.state = {
      type: "terminated",
      exitCode,
      reason: reason || (exitCode === 0 ? "Completed" : "Error"),
      ...(message === "" ? {} : { message }),
      startedAt,
      finishedAt: now.wall,
    };
    this.since = now.monotonic;
    this.ready = false;
    this.program = undefined;
    this.log?.close();
    if (ranMs > healthyMs) this.backOffMs = 0;
  }

  wait(reason: string, message?: string): void {
    if (this.state.type === "terminated") this.last = this.state;
    this.state = { type: "waiting", reason, ...(message === undefined ? {} : { message }) };
  }

  /** How long until it may be started again; 0 for now. Whoever starts it says so with `grow`. */
  restartIn(monotonic: number): number {
    return Math.max(0, this.since + this.backOffMs - monotonic);
  }

  grow(): void {
    this.backOffMs = this.backOffMs === 0 ? firstBackOffMs : Math.min(2 * this.backOffMs, longestBackOffMs);
  }
}

const firstBackOffMs = 10_000;
const longestBackOffMs = 300_000;
/** After a run of twice the longest wait, earlier failures are forgotten. */
const healthyMs = 2 * longestBackOffMs;

/** How a lab that ended leaves its programs: what was running inside it is gone. */
const lost = { exitCode: 137, reason: "ContainerStatusUnknown", message: "the lab that ran the container has ended" };

/** The container as an earlier lab left it in the pod's status. */
export function adoptContainer(
  { name }: Container,
  role: Role,
  status: ContainerStatus | undefined,
  { isProgram, now }: { isProgram: boolean; now: { wall: number; monotonic: number } },
): ContainerRun {
  const run = new ContainerRun(name, role);
  if (!status) return run;
  run.restarts = status.restartCount;
  run.last = endedOf(status.lastState?.terminated);
  const { running, terminated } = status.state ?? {};
  const ended = endedOf(terminated);
  if (ended) {
    run.state = ended;
    run.ready = role === "init" && ended.exitCode === 0;
    run.since = now.monotonic - Math.max(0, now.wall - ended.finishedAt);
  } else if (running) {
    const startedAt = timeOf(running.startedAt);
    if (isProgram) run.state = { type: "terminated", ...lost, startedAt, finishedAt: now.wall };
    else {
      run.state = { type: "running", startedAt };
      run.ready = status.ready;
    }
    run.since = isProgram ? now.monotonic : now.monotonic - Math.max(0, now.wall - startedAt);
  }
  return run;
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

function endedOf(state: Terminated | undefined): Ended | undefined {
  if (!state) return undefined;
  return {
    type: "terminated",
    exitCode: state.exitCode,
    reason: state.reason ?? "",
    ...(state.message ? { message: state.message } : {}),
    startedAt: timeOf(state.startedAt),
    finishedAt: timeOf(state.finishedAt),
  };
}

function timeOf(text: unknown): number {
  return (typeof text === "string" ? parseTime(text) : undefined) ?? 0;
}
