import type { Container, ContainerStatus } from "kubernetes-types/core/v1.js";
import type { kinds } from "../../../../cluster/kube/kinds.ts";
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

/** Init containers end before the main ones start; sidecars start among them and keep running. */
export type Role = "init" | "sidecar" | "main";

type Pod = NonNullable<(typeof kinds.pod)["object"]>;

/** The containers of a pod in the order in which they start. */
export function containersOf({ spec }: Pod): { container: Container; role: Role }[] {
  const inits = (spec?.initContainers ?? []).map((container) => ({
    container,
    role: container.restartPolicy === "Always" ? ("sidecar" as const) : ("init" as const),
  }));
  return [...inits, ...(spec?.containers ?? []).map((container) => ({ container, role: "main" as const }))];
}

/** Whether the pod's restart policy restarts a main container that ended with this code. */
export function restarts({ spec }: Pod, exitCode: number): boolean {
  const policy = spec?.restartPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** A running program, and how to end it. */
export interface RunningProgram {
  /** SIGTERM. */
  terminate(): void;
  /** SIGKILL: its log and its access to the API server end. */
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
  /** On the monotonic clock: when it started, or when it ended. */
  since = 0;
  /** The delay between the end and the next restart. */
  backoffMs = 0;
  program: RunningProgram | undefined;
  log: ContainerLog | undefined;
  previousLog: ContainerLog | undefined;
  /** Removes its control group. */
  removeGroup: (() => void) | undefined;

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

  /** How the latest run ended, also while the container waits for its restart. */
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
    this.removeGroup?.();
    this.log?.close();
    if (ranMs > healthyMs) this.backoffMs = 0;
  }

  wait(reason: string, message?: string): void {
    if (this.state.type === "terminated") this.last = this.state;
    this.state = { type: "waiting", reason, ...(message === undefined ? {} : { message }) };
  }

  /** Milliseconds until it may be restarted; 0 for now. */
  restartIn(monotonic: number): number {
    return Math.max(0, this.since + this.backoffMs - monotonic);
  }

  /** Doubles the delay: to be called with every restart. */
  growBackoff(): void {
    this.backoffMs = this.backoffMs === 0 ? firstBackoffMs : Math.min(2 * this.backoffMs, longestBackoffMs);
  }
}

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;
/** A run of twice the longest delay resets it, as in a kubelet. */
const healthyMs = 2 * longestBackoffMs;

/** The programs of a lab end with its process, and all containers with their machine: without a status. */
const lost = { exitCode: 137, reason: "ContainerStatusUnknown", message: "the machine of the container has ended" };

/** The container as an earlier process left it in the pod's status. */
export function adoptContainer(
  { name }: Container,
  role: Role,
  status: ContainerStatus | undefined,
  { isLost, now }: { isLost: boolean; now: { wall: number; monotonic: number } },
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
    if (isLost) run.state = { type: "terminated", ...lost, startedAt, finishedAt: now.wall };
    else {
      run.state = { type: "running", startedAt };
      run.ready = status.ready;
    }
    run.since = isLost ? now.monotonic : now.monotonic - Math.max(0, now.wall - startedAt);
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
