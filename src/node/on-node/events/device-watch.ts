import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { FailureBackoff } from "../../../cluster/runtime/queue/rate-limit.ts";
import type { Host } from "../../host/host.ts";
import { readDevices } from "./devices.ts";

export interface DeviceWatchOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Log;
  /** Between two lists of devices: interrupts have no events, and a monitor may not run. A list takes half a millisecond. */
  readonly pollIntervalMs: number;
  readonly changed: () => void;
}

/** Prints a line for each device that appears, changes or goes. In a container it would take the node's root for a chroot. */
const monitor = [
  "env",
  "SYSTEMD_IGNORE_CHROOT=1",
  "udevadm",
  "monitor",
  ...["net", "block", "cpu", "scsi_host"].map((name) => `--subsystem-match=${name}`),
];

/** udev announces a device in several lines, and a card brings many devices. */
const burstMs = 200;
const restart = { baseMs: 10_000, maxMs: 3_600_000 };

/** Finds devices that appear or go: at once where `udevadm` runs, otherwise by listing them. */
export class DeviceWatch {
  readonly #options: DeviceWatchOptions;
  readonly #backoff = new FailureBackoff<"monitor">(restart);
  #seen: ReadonlySet<string> | undefined;
  #closed = false;
  #endMonitor = (): void => {};
  #cancelRestart = (): void => {};
  #cancelPoll = (): void => {};
  #soon = false;

  constructor(options: DeviceWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#startMonitor();
    void this.#poll();
  }

  close(): void {
    this.#closed = true;
    this.#endMonitor();
    this.#cancelRestart();
    this.#cancelPoll();
  }

  #startMonitor(): void {
    this.#endMonitor =
      this.#options.host.monitor?.(monitor, {
        line: (text) => this.#line(text),
        ended: (why) => this.#ended(why),
      }) ?? this.#endMonitor;
  }

  #line(text: string): void {
    if (!/^(?:KERNEL|UDEV) *\[/.test(text)) return;
    this.#backoff.forget("monitor");
    if (!text.includes(" /devices/virtual/net/")) this.#pollSoon();
  }

  #ended(why: string): void {
    if (this.#closed) return;
    const inMs = this.#backoff.next("monitor");
    this.#options.log.debug({ why, inMs }, "udevadm monitor ended; devices are listed until it runs again");
    this.#cancelRestart = this.#options.clock.after(inMs, () => this.#startMonitor());
    // What happened since its last line is not known.
    this.#pollSoon();
  }

  #pollSoon(): void {
    if (this.#soon) return;
    this.#soon = true;
    this.#pollIn(burstMs);
  }

  #pollIn(ms: number): void {
    this.#cancelPoll();
    this.#cancelPoll = this.#options.clock.after(ms, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    this.#soon = false;
    const { host, pollIntervalMs, changed } = this.#options;
    const found = await readDevices(host, this.#seen);
    if (this.#closed) return;
    if (this.#seen && !isSame(this.#seen, found)) changed();
    this.#seen = found;
    if (!this.#soon) this.#pollIn(pollIntervalMs);
  }
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name));
}
