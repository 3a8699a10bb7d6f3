import type { Clock } from "../../../../cluster/runtime/clock.ts";
import { DelayHeap } from "../../../../cluster/runtime/queue/delay-heap.ts";
import type { Obstacle } from "./obstacle.ts";
import type { PodFacts } from "./pod-facts.ts";

interface Waiting {
  pod: PodFacts;
  attempts: number;
  /** Not to be tried before. */
  restsUntil: number;
  place:
    | { type: "ready" | "resting" | "taken" }
    /** Waits for a change that could remove what kept it from every node. */
    | { type: "parked"; obstacles: ReadonlySet<Obstacle> };
}

const restMs = { first: 1_000, longest: 10_000 };

/**
 * Pods without a node: those to try now, the most important first; those that rest after a failure; and those that wait
 * for a change that could help them.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #pods = new Map<string, Waiting>();
  readonly #ready = new DelayHeap<string>();
  readonly #resting = new DelayHeap<string>();
  readonly #parked = new Map<Obstacle, Set<string>>();
  #alarm: { due: number; cancel: () => void } | undefined;

  /** `onReady` is called when there is something to take. */
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
      const waiting: Waiting = { pod, attempts: 0, restsUntil: 0, place: { type: "resting" } };
      this.#pods.set(pod.uid, waiting);
      this.#wake(waiting);
      return;
    }
    known.pod = pod;
    if (known.place.type === "parked") this.#wake(known);
  }

  /** The same pod in a newer version that may run where it might before. */
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
    this.#resting.delete(uid);
  }

  /** The next pod to try. It stays known until it is deleted, parked or to be retried. */
  take(): PodFacts | undefined {
    const next = this.#ready.takeDue(Infinity);
    const waiting = next && this.#pods.get(next.key);
    if (!waiting) return undefined;
    waiting.place = { type: "taken" };
    waiting.attempts++;
    return waiting.pod;
  }

  /** No node would do. */
  park(uid: string, obstacles: ReadonlySet<Obstacle>): void {
    const waiting = this.#pods.get(uid);
    if (waiting?.place.type !== "taken") return;
    this.#rest(waiting);
    waiting.place = { type: "parked", obstacles };
    for (const obstacle of obstacles) {
      const parked = this.#parked.get(obstacle);
      if (parked) parked.add(uid);
      else this.#parked.set(obstacle, new Set([uid]));
    }
  }

  /** It failed for no fault of its own: again, after a rest. */
  retry(uid: string): void {
    const waiting = this.#pods.get(uid);
    if (waiting?.place.type !== "taken") return;
    this.#rest(waiting);
    this.#wake(waiting);
  }

  /** Something changed that may remove one of the obstacles, on one node or anywhere. */
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

  #rest(waiting: Waiting): void {
    const ms = Math.min(restMs.longest, restMs.first * 2 ** (waiting.attempts - 1));
    waiting.restsUntil = this.#clock.monotonic() + ms;
  }

  #wake(waiting: Waiting): void {
    this.#unpark(waiting);
    const { uid, priority } = waiting.pod;
    if (waiting.restsUntil > this.#clock.monotonic()) {
      waiting.place = { type: "resting" };
      this.#resting.add(uid, waiting.restsUntil);
      this.#setAlarm();
      return;
    }
    waiting.place = { type: "ready" };
    // What falls due first is taken first, and of equals the one that came first.
    this.#ready.add(uid, -priority);
    this.#onReady();
  }

  #unpark({ pod, place }: Waiting): void {
    if (place.type !== "parked") return;
    for (const obstacle of place.obstacles) this.#parked.get(obstacle)?.delete(pod.uid);
  }

  #setAlarm(): void {
    const due = this.#resting.nextDue();
    if (due === undefined || (this.#alarm && this.#alarm.due <= due)) return;
    this.#alarm?.cancel();
    this.#alarm = { due, cancel: this.#clock.after(due - this.#clock.monotonic(), () => this.#rested()) };
  }

  #rested(): void {
    this.#alarm = undefined;
    const now = this.#clock.monotonic();
    for (let next = this.#resting.takeDue(now); next; next = this.#resting.takeDue(now)) {
      const waiting = this.#pods.get(next.key);
      if (waiting?.place.type === "resting") this.#wake(waiting);
    }
    this.#setAlarm();
  }
}
