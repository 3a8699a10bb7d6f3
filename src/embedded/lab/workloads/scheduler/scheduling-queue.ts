import type { Clock } from "../../../../cluster/runtime/clock.ts";
import { DelayHeap } from "../../../../cluster/runtime/queue/delay-heap.ts";
import type { Obstacle } from "./obstacle.ts";
import type { PodFacts } from "./pod-facts.ts";

interface Waiting {
  pod: PodFacts;
  attempts: number;
  /** The backoff after a failed attempt ends then. */
  backoffUntil: number;
  place:
    | { type: "ready" | "backoff" | "taken" }
    /** Waits for a change that may remove one of its obstacles. */
    | { type: "parked"; obstacles: ReadonlySet<Obstacle> };
}

const backoffMs = { first: 1_000, longest: 10_000 };

/**
 * Pods without a node: ready ones by priority, those in backoff after a failed attempt, and parked ones that wait for a
 * change that may help them. kube-scheduler's activeQ, backoffQ and unschedulablePods.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #pods = new Map<string, Waiting>();
  readonly #ready = new DelayHeap<string>();
  readonly #inBackoff = new DelayHeap<string>();
  readonly #parked = new Map<Obstacle, Set<string>>();
  #alarm: { due: number; cancel: () => void } | undefined;

  /** `onReady` is called when a pod can be taken. */
  constructor(clock: Clock, onReady: () => void = () => {}) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  get(uid: string): PodFacts | undefined {
    return this.#pods.get(uid)?.pod;
  }

  /** A new pod, or a known one that changed in a way that may help it. */
  add(pod: PodFacts): void {
    const known = this.#pods.get(pod.uid);
    if (!known) {
      const waiting: Waiting = { pod, attempts: 0, backoffUntil: 0, place: { type: "backoff" } };
      this.#pods.set(pod.uid, waiting);
      this.#wake(waiting);
      return;
    }
    known.pod = pod;
    if (known.place.type === "parked") this.#wake(known);
  }

  /** A newer version of the pod with the same requirements. */
  refresh(pod: PodFacts): void {
    const known = this.#pods.get(pod.uid);
    if (known) known.pod = pod;
  }

  delete(uid: string): void {
    const known = this.#pods.get(uid);
    if (!known) return;
    this.#unpark(known);
    this.#pods.delete(uid);
    this.#ready.delete(uid);
    this.#inBackoff.delete(uid);
  }

  /** The next pod. It stays in the queue, taken, until it is deleted, parked or retried. */
  take(): PodFacts | undefined {
    const next = this.#ready.takeDue(Infinity);
    const waiting = next && this.#pods.get(next.key);
    if (!waiting) return undefined;
    waiting.place = { type: "taken" };
    waiting.attempts++;
    return waiting.pod;
  }

  /** No node fits. */
  park(uid: string, obstacles: ReadonlySet<Obstacle>): void {
    const waiting = this.#pods.get(uid);
    if (waiting?.place.type !== "taken") return;
    this.#startBackoff(waiting);
    waiting.place = { type: "parked", obstacles };
    for (const obstacle of obstacles) {
      const parked = this.#parked.get(obstacle);
      if (parked) parked.add(uid);
      else this.#parked.set(obstacle, new Set([uid]));
    }
  }

  /** The binding failed: again after a backoff. */
  retry(uid: string): void {
    const waiting = this.#pods.get(uid);
    if (waiting?.place.type !== "taken") return;
    this.#startBackoff(waiting);
    this.#wake(waiting);
  }

  /** A change may have removed one of the obstacles, on one node or anywhere. */
  changed(obstacles: readonly Obstacle[], nodeName?: string): void {
    for (const obstacle of obstacles)
      for (const uid of this.#parked.get(obstacle) ?? []) {
        const waiting = this.#pods.get(uid);
        const names = waiting?.pod.nodes.names;
        if (waiting && (nodeName === undefined || !names || names.has(nodeName))) this.#wake(waiting);
      }
  }

  stop(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
  }

  #startBackoff(waiting: Waiting): void {
    const ms = Math.min(backoffMs.longest, backoffMs.first * 2 ** (waiting.attempts - 1));
    waiting.backoffUntil = this.#clock.monotonic() + ms;
  }

  #wake(waiting: Waiting): void {
    this.#unpark(waiting);
    const { uid, priority } = waiting.pod;
    if (waiting.backoffUntil > this.#clock.monotonic()) {
      waiting.place = { type: "backoff" };
      this.#inBackoff.add(uid, waiting.backoffUntil);
      this.#setAlarm();
      return;
    }
    waiting.place = { type: "ready" };
    // The heap yields the lowest first, and equal ones in the order of arrival.
    this.#ready.add(uid, -priority);
    this.#onReady();
  }

  #unpark({ pod, place }: Waiting): void {
    if (place.type !== "parked") return;
    for (const obstacle of place.obstacles) this.#parked.get(obstacle)?.delete(pod.uid);
  }

  #setAlarm(): void {
    const due = this.#inBackoff.nextDue();
    if (due === undefined || (this.#alarm && this.#alarm.due <= due)) return;
    this.#alarm?.cancel();
    this.#alarm = { due, cancel: this.#clock.after(due - this.#clock.monotonic(), () => this.#backoffEnded()) };
  }

  #backoffEnded(): void {
    this.#alarm = undefined;
    const now = this.#clock.monotonic();
    for (let next = this.#inBackoff.takeDue(now); next; next = this.#inBackoff.takeDue(now)) {
      const waiting = this.#pods.get(next.key);
      if (waiting?.place.type === "backoff") this.#wake(waiting);
    }
    this.#setAlarm();
  }
}
