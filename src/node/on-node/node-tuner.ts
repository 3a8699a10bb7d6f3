import { repairDrift, type Repaired } from "../engine/drift.ts";
import type { RollbackReport, SettingReport } from "../engine/engine.ts";
import { NotAppliedError } from "../engine/tuned-daemon/not-applied-error.ts";
import type { Host } from "../host/host.ts";
import { deferredOf, type Profile, type ProfileSpec } from "../../domain/node-tuning/api.ts";
import { inputsOf } from "../../domain/node-tuning/node-profile.ts";
import { hashOf } from "../../language/object/hash.ts";
import { equal } from "../../language/object/json.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { decideDeferral } from "./deferral.ts";
import type { AppliedBy, NodeEngines, ToApply } from "./node-engines.ts";
import { placeBaseScripts } from "./place-base-scripts.ts";
import { resolveSpec } from "./resolve-spec.ts";
import type { Applied, InForce, Tuning } from "./tune-outcome.ts";
import { loadRecord, readBootId, removeRecord, saveRecord, type TuningRecord } from "./tuning-record.ts";

export interface NodeTunerOptions {
  readonly host: Host;
  readonly engines: NodeEngines;
  readonly clock: Clock;
  /** How often a node that should be as it was left is looked at. */
  readonly lookEveryMs: number;
  readonly log: Log;
}

/** A profile that this process has applied. */
interface Settled {
  readonly wanted: ToApply;
  readonly inForce: InForce;
  readonly applied: Applied;
}

/** Makes a node be as its Profile says, and keeps it so. */
export class NodeTuner {
  readonly #options: NodeTunerOptions;
  #settled: Settled | undefined;
  #lookedAt = 0;

  constructor(options: NodeTunerOptions) {
    this.#options = options;
  }

  /** When to call again though nothing happened. */
  get lookAgainInMs(): number {
    const { clock, lookEveryMs } = this.#options;
    return this.#settled ? Math.max(0, this.#lookedAt + lookEveryMs - clock.monotonic()) : lookEveryMs;
  }

  /** Does nothing where this process has done it already and no look is due. */
  async tune(profile: Profile, signal?: AbortSignal): Promise<Tuning> {
    const { spec } = profile;
    const fingerprint = fingerprintOf(spec);
    const settled = await this.#looked();
    if (settled?.wanted.fingerprint === fingerprint) return this.#tuning(settled);
    const { host } = this.#options;
    const [record, bootId] = await Promise.all([loadRecord(host), readBootId(host)]);
    const wanted = { profile: spec.config.tunedProfile, fingerprint };
    const mode = deferredOf(profile);
    const complete = record?.complete === true ? record : undefined;
    const inForce = complete && {
      profile: complete.spec.config.tunedProfile,
      fingerprint: fingerprintOf(complete.spec),
      bootId: complete.bootId,
    };
    const deferral = decideDeferral({ wanted, inForce, mode, bootId });
    if (deferral.type === "apply" || !complete) return this.#make(spec, record, bootId, signal);
    if (settled?.wanted.fingerprint !== inForce?.fingerprint) {
      // What ends with a process (a daemon, open files) ended with the one that applied it.
      const again = await this.#make(complete.spec, complete, bootId, signal);
      if (again.outcome.type === "failed") return again;
    }
    const before = this.#settled && this.#now(this.#settled);
    return { outcome: { type: "deferred", profile: wanted.profile, before }, inForce: inForceOf(complete) };
  }

  /** Puts back every original. */
  async release(): Promise<RollbackReport> {
    this.#settled = undefined;
    // In this order: whoever finds the record takes the node for tuned.
    await removeRecord(this.#options.host);
    return this.#options.engines.rollback();
  }

  async #make(
    spec: ProfileSpec,
    record: TuningRecord | undefined,
    bootId: string,
    signal: AbortSignal | undefined,
  ): Promise<Tuning> {
    const { host, engines } = this.#options;
    const fingerprint = fingerprintOf(spec);
    const resolution = await resolveSpec(spec, host, signal);
    if (resolution.type === "invalid")
      return { outcome: resolution, inForce: record?.complete === true ? inForceOf(record) : undefined };
    const { profile } = resolution;
    await placeBaseScripts(profile, host);
    this.#settled = undefined;
    const next: TuningRecord = {
      bootId,
      spec,
      bootcmdline: profile.bootArguments.join(" "),
      complete: true,
    };
    const known = equal(record, next);
    if (!known) await saveRecord(host, { ...next, complete: false });
    const wanted = { ...resolution, fingerprint };
    let by: AppliedBy;
    try {
      by = await engines.apply(wanted);
    } catch (error) {
      if (!(error instanceof NotAppliedError)) throw error;
      await removeRecord(host);
      return { outcome: { type: "failed", message: error.message }, inForce: { tunedProfile: "" } };
    }
    if (!known) await saveRecord(host, next);
    this.#lookedAt = this.#options.clock.monotonic();
    this.#settled = { wanted, inForce: inForceOf(next), applied: this.#applied(wanted, by) };
    return this.#tuning(this.#settled);
  }

  /** What is in force, with what somebody else changed of it set back if it was time to look. */
  async #looked(): Promise<Settled | undefined> {
    const { host, clock, log } = this.#options;
    if (!this.#settled || this.lookAgainInMs > 0) return this.#settled;
    this.#lookedAt = clock.monotonic();
    // What could not be set may be possible now; to find out, scripts would run again.
    const { wanted, applied } = this.#settled;
    const again = applied.report.settings.some(isFailed) && !wanted.profile.units.some(({ type }) => type === "script");
    if (again) return undefined;
    const drift = await repairDrift(host);
    for (const one of drift) log.warn({ ...one }, "another process changed a setting");
    this.#settled = { ...this.#settled, applied: { ...applied, drift } };
    return this.#settled;
  }

  #applied({ profile }: ToApply, { engine, reason, report }: AppliedBy): Applied {
    const { engines, log } = this.#options;
    log.info({ profile: profile.profile, engine, reason, settings: report.settings.length }, "profile applied");
    const drift = report.settings.flatMap(driftOf);
    for (const one of drift) log.warn({ ...one }, "another process changed a setting");
    return {
      type: "applied",
      report,
      warnings: profile.warnings,
      ...(engines.option === "auto" ? { engine: { engine, reason } } : {}),
      troubles: [],
      drift,
    };
  }

  #tuning(settled: Settled): Tuning {
    return { outcome: this.#now(settled), inForce: settled.inForce };
  }

  #now({ applied }: Settled): Applied {
    return { ...applied, troubles: this.#options.engines.troubles };
  }
}

/** All of a spec that a node is tuned by; how much the agent says of it is not among that. */
function fingerprintOf(spec: ProfileSpec): string {
  const { tunedConfig, debug = false } = spec.config;
  return hashOf([inputsOf(spec), tunedConfig?.reapply_sysctl ?? true, debug]);
}

function inForceOf({ spec, bootcmdline }: TuningRecord): InForce {
  return { tunedProfile: spec.config.tunedProfile, bootcmdline, bootcmdlineInputs: inputsOf(spec) };
}

function isFailed({ type }: SettingReport): boolean {
  return type === "failed";
}

function driftOf(setting: SettingReport): Repaired[] {
  if (setting.type !== "set" || setting.drifted !== true) return [];
  const { target, unit, option, from, value, before } = setting;
  return [{ target, owner: "profile", from: `[${unit}] ${option} (${from})`, expected: value, found: before }];
}
