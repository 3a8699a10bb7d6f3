import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Notice } from "../../../language/tuned/problem.ts";
import { filesInForce, type Repaired, repairDrift } from "../../engine/drift.ts";
import { readLedger } from "../../engine/journal.ts";
import { profileOwner } from "../../engine/native-engine.ts";
import type { SettingReport } from "../../engine/engine.ts";
import type { Follow } from "../../engine/plugin.ts";
import { taskFilter } from "../../engine/plugins/scheduler/followed-tasks.ts";
import type { Host } from "../../host/host.ts";
import type { NodeEngines, ToApply } from "../node-engines.ts";
import type { Applied } from "../tune-outcome.ts";
import { readDevices } from "./devices.ts";
import { withHolders } from "./held-settings.ts";
import { mergeReports } from "./merge-reports.ts";
import type { NodeEvents, Noticed } from "./node-events.ts";
import { RepeatLimit } from "./repeat-limit.ts";
import { Repairs } from "./repairs.ts";

export interface FollowerOptions {
  readonly host: Host;
  readonly engines: NodeEngines;
  readonly clock: Clock;
  readonly log: Log;
  readonly resyncIntervalMs: number;
  /** Absent: only resyncs find what changed. */
  readonly events?: NodeEvents | undefined;
}

const nothing: Noticed = { paths: new Set(), devices: false, pids: new Set() };

/** A device that comes and goes this often is reported. */
const mostAppearances = 3;

/** Keeps a profile in force: tunes devices and processes that appear, and sets back what another process changes. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #repairs: Repairs;
  readonly #appearances: RepeatLimit;
  /** The devices that the profile in force was planned for. */
  #devices: ReadonlySet<string> = new Set();

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#repairs = new Repairs(options.resyncIntervalMs);
    this.#appearances = new RepeatLimit(options.resyncIntervalMs);
  }

  /** Before a profile is applied: a device that appears meanwhile is tuned afterwards. */
  async begin(): Promise<void> {
    const { events, host } = this.#options;
    events?.take();
    if (events) this.#devices = await readDevices(host);
  }

  /** After a profile was applied. */
  async follow({ profile }: ToApply, drift: readonly Repaired[]): Promise<readonly Repaired[]> {
    this.#repaired(drift);
    await this.#watch({ processes: taskFilter(profile.units) });
    return this.#repairs.list(this.#now);
  }

  async end(): Promise<void> {
    await this.#options.events?.watch({ files: [], processes: undefined });
  }

  /** Whether `check` has something to do. */
  get isDue(): boolean {
    return this.#options.events?.hasNoticed === true || this.dueInMs === 0;
  }

  /** When `check` has something to do without a further event. Infinity: not before. */
  get dueInMs(): number {
    return Math.min(this.#repairs.nextInMs(this.#now), this.#appearances.nextInMs(this.#now));
  }

  /** Checks everything (`all`), or only what was noticed since the last check. */
  async check(wanted: ToApply, applied: Applied, all: boolean): Promise<Applied> {
    const noticed = this.#options.events?.take() ?? nothing;
    try {
      return await this.#check(wanted, applied, { ...noticed, all });
    } catch (error) {
      this.#options.events?.giveBack(noticed);
      throw error;
    }
  }

  async #check(wanted: ToApply, applied: Applied, noticed: Noticed & { all: boolean }): Promise<Applied> {
    const { host, engines, events } = this.#options;
    const now = this.#now;
    const following = events !== undefined && engines.isNative;
    const everything = noticed.all || (following && (noticed.devices || this.#repairs.nextInMs(now) === 0));
    const listed = following && (noticed.all || noticed.devices || this.#appearances.nextInMs(now) === 0);
    this.#repairs.release(now);
    this.#appearances.release(now);
    const settings: SettingReport[] = [];
    const follow = async (what: Follow): Promise<void> => {
      const report = await engines.follow(wanted, what);
      settings.push(...(report?.settings ?? []));
    };
    const changed = listed ? await this.#devicesSince() : undefined;
    if (changed) await follow({ occasion: "devices", devices: changed.appeared });
    if (noticed.all) await follow({ occasion: "resync" });
    else if (noticed.pids.size > 0) await follow({ occasion: "processes", pids: noticed.pids });

    // After devices that went away are forgotten: the values of the next with their names are no drift.
    if (everything || noticed.paths.size > 0) {
      const paths = everything ? undefined : noticed.paths;
      this.#repaired(
        await repairDrift(host, {
          owner: profileOwner,
          paths,
          mayRepair: (target) => this.#repairs.allows(target, now),
        }),
      );
    }
    this.#repaired(settings.flatMap(driftOf));
    this.#logTuned(settings);
    if (changed) {
      this.#devices = changed.tuned;
      await this.#watch({ renew: true });
    }
    const merged = mergeReports(applied.report.settings, settings, changed?.gone ?? new Set());
    const reports = noticed.all ? withHolders(merged, await readLedger(host)) : merged;
    return {
      ...applied,
      report: { ...applied.report, settings: reports },
      warnings: [...wanted.profile.warnings, ...this.#flapping()],
      drift: this.#repairs.list(now),
    };
  }

  /** `undefined` where there is no other device than before. */
  async #devicesSince(): Promise<
    { appeared: ReadonlySet<string>; gone: ReadonlySet<string>; tuned: ReadonlySet<string> } | undefined
  > {
    const { host } = this.#options;
    const now = this.#now;
    const present = await readDevices(host, this.#devices);
    const appeared = new Set<string>();
    for (const device of present) {
      if (this.#devices.has(device) || !this.#appearances.allows(device, now)) continue;
      this.#appearances.use(device, now);
      appeared.add(device);
    }
    const kept = [...this.#devices].filter((device) => present.has(device));
    const gone = new Set([...this.#devices].filter((device) => !present.has(device)));
    if (appeared.size === 0 && gone.size === 0) return undefined;
    return { appeared, gone, tuned: new Set([...kept, ...appeared]) };
  }

  #flapping(): Notice[] {
    return this.#appearances.above(mostAppearances, this.#now).map(([device, { times, waitMs }]) => ({
      level: "warning",
      message: `${device} appeared ${times} times: it is tuned again after ${waitMs / 1000} s at the earliest`,
    }));
  }

  #repaired(repaired: readonly Repaired[]): void {
    for (const one of this.#repairs.add(repaired, this.#now))
      this.#options.log.warn({ ...one }, "another process changed a setting");
  }

  #logTuned(settings: readonly SettingReport[]): void {
    const devices = new Set(settings.flatMap(({ type, device }) => (type === "set" && device ? [device] : [])));
    if (devices.size > 0) this.#options.log.info({ devices: [...devices].slice(0, 20) }, "tuned what is new");
  }

  async #watch({
    processes,
    renew = false,
  }: {
    processes?: ReturnType<typeof taskFilter>;
    renew?: boolean;
  }): Promise<void> {
    const { events, engines, host } = this.#options;
    // The TuneD daemon follows the node itself, and its own writes are no drift.
    const files = engines.isNative && host.watch ? await filesInForce(host, profileOwner) : [];
    await events?.watch({ files, processes: engines.isNative ? processes : undefined }, renew);
  }

  get #now(): number {
    return this.#options.clock.monotonic();
  }
}

export function driftOf(setting: SettingReport): Repaired[] {
  if (setting.type !== "set" || setting.drifted !== true) return [];
  const { target, unit, option, from, value, before } = setting;
  return [{ target, owner: "profile", from: `[${unit}] ${option} (${from})`, expected: value, found: before }];
}
