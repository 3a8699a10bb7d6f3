import type { RollbackReport, SettingReport } from "../engine/engine.ts";
import type { Repaired } from "../engine/drift.ts";
import { NotAppliedError } from "../engine/tuned-daemon/not-applied-error.ts";
import { readBootId } from "../host/boot-id.ts";
import type { Host } from "../host/host.ts";
import { deferredOf, type Profile, type ProfileSpec } from "../../domain/node-tuning/api.ts";
import { inputsOf } from "../../domain/node-tuning/node-profile.ts";
import { hashOf } from "../../language/object/hash.ts";
import { equal } from "../../language/object/json.ts";
import { splitArguments } from "../../language/tuned/boot-arguments.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { BootArguments } from "./boot-arguments.ts";
import { writeChosenProfile } from "./chosen-profile.ts";
import { decideDeferral } from "./deferral.ts";
import { driftOf, Follower } from "./events/follower.ts";
import type { NodeEvents } from "./events/node-events.ts";
import { type ExecPolicy, execRule } from "./exec-policy.ts";
import type { AppliedBy, NodeEngines, ToApply } from "./node-engines.ts";
import { placeBaseScripts } from "./place-base-scripts.ts";
import { hostProfileNames } from "./host-profiles.ts";
import { rollBackNode } from "./removal/roll-back-node.ts";
import { reportedAnswers } from "./report/reported-answers.ts";
import { resolveSpec } from "./resolve-spec.ts";
import type { Applied, InForce, Tuning } from "./tune-outcome.ts";
import { loadRecord, recordPath, removeRecord, saveRecord, type TuningRecord } from "./tuning-record.ts";

export interface NodeTunerOptions {
  /** The node's name. */
  readonly node: string;
  readonly host: Host;
  readonly engines: NodeEngines;
  readonly clock: Clock;
  /** Between two drift checks. */
  readonly resyncIntervalMs: number;
  readonly log: Log;
  /** Which programs that profiles name may run. Default allow. */
  readonly exec?: ExecPolicy | undefined;
  /** Default apply. */
  readonly bootArguments?: BootArguments | undefined;
  readonly events?: NodeEvents | undefined;
}

/** A profile that this process has applied. */
interface Settled {
  readonly wanted: ToApply;
  readonly inForce: InForce;
  readonly applied: Applied;
}

interface ApplyInput {
  readonly spec: ProfileSpec;
  readonly record: TuningRecord | undefined;
  readonly bootId: string;
  readonly signal: AbortSignal | undefined;
}

/** Applies the Profile of a node, and sets back what another process changes. */
export class NodeTuner {
  readonly #options: NodeTunerOptions;
  readonly #follower: Follower;
  #settled: Settled | undefined;
  #resyncedAt = 0;
  #known = false;

  constructor(options: NodeTunerOptions) {
    this.#options = options;
    this.#follower = new Follower(options);
  }

  /** When `tune` must be called again for the next check, if the node reports nothing before. */
  get checkInMs(): number {
    return this.#settled ? Math.min(this.#resyncInMs, this.#follower.dueInMs) : this.#options.resyncIntervalMs;
  }

  get #resyncInMs(): number {
    const { clock, resyncIntervalMs } = this.#options;
    return Math.max(0, this.#resyncedAt + resyncIntervalMs - clock.monotonic());
  }

  /** Does nothing if this process has applied the Profile already and no check is due. */
  async tune(profile: Profile, signal?: AbortSignal): Promise<Tuning> {
    const tuning = await this.#tune(profile, signal);
    return { ...tuning, inForce: tuning.inForce && (await withPending(tuning.inForce, this.#options.host)) };
  }

  async #tune(profile: Profile, signal?: AbortSignal): Promise<Tuning> {
    const { spec } = profile;
    const fingerprint = fingerprintOf(spec);
    const settled = await this.#checked();
    if (settled?.wanted.fingerprint === fingerprint) {
      // A deferred change that was taken back has left the node as it is, but its name was published.
      await this.#publish(spec.config.tunedProfile);
      return this.#tuning(settled);
    }
    const { host } = this.#options;
    const [record, bootId] = await Promise.all([this.#ownRecord(), readBootId(host)]);
    await this.#publish(spec.config.tunedProfile);
    const wanted = { profile: spec.config.tunedProfile, fingerprint };
    const mode = deferredOf(profile);
    const complete = record?.complete === true ? record : undefined;
    const inForce = complete && {
      profile: complete.spec.config.tunedProfile,
      fingerprint: fingerprintOf(complete.spec),
      bootId: complete.bootId,
    };
    const deferral = decideDeferral({ wanted, inForce, mode, bootId });
    if (deferral.type === "apply" || !complete) return this.#apply({ spec, record, bootId, signal });
    if (settled?.wanted.fingerprint !== inForce?.fingerprint) {
      // Daemons and open files ended with the agent that had applied the profile.
      const again = await this.#apply({ spec: complete.spec, record: complete, bootId, signal });
      if (again.outcome.type === "failed") return again;
    }
    const before = this.#settled && this.#now(this.#settled);
    return { outcome: { type: "deferred", profile: wanted.profile, before }, inForce: inForceOf(complete) };
  }

  /**
   * Whether this node is known to have the agent's name: it was tuned under it. Throws if it was tuned under another, since
   * a mistyped name must not change the node's settings.
   */
  async isKnown(): Promise<boolean> {
    this.#known ||= (await this.#ownRecord())?.node !== undefined;
    return this.#known;
  }

  /** Names of the node's own profiles. */
  async hostProfiles(): Promise<string[]> {
    return hostProfileNames(this.#options.host);
  }

  /** Restores every original value. */
  async release(): Promise<RollbackReport> {
    await this.#ownRecord();
    this.#settled = undefined;
    await this.#follower.end();
    return rollBackNode(this.#options.host, () => this.#options.engines.rollback());
  }

  /** Only tools read the file: a node without it is tuned all the same. */
  async #publish(profile: string): Promise<void> {
    const { host, log } = this.#options;
    const outcome = await writeChosenProfile(host, profile);
    if (outcome.type === "failed") log.warn({ error: outcome.message }, "cannot write the name of the chosen profile");
  }

  async #ownRecord(): Promise<TuningRecord | undefined> {
    const { host, node } = this.#options;
    const record = await loadRecord(host);
    if (record?.node === undefined || record.node === node) return record;
    const names = `this node was tuned as Node "${record.node}" (${recordPath}), not as "${node}"`;
    const advice = `check --node, or run "attune tuned rollback"`;
    throw new Error(`${names}: nothing is changed; ${advice}`);
  }

  async #apply({ spec, record, bootId, signal }: ApplyInput): Promise<Tuning> {
    const { node, host, engines, exec = "allow", bootArguments = "apply" } = this.#options;
    const fingerprint = fingerprintOf(spec);
    const resolution = await resolveSpec(spec, host, { signal, exec: execRule(exec), bootArguments });
    if (resolution.type === "invalid")
      return { outcome: resolution, inForce: record?.complete === true ? inForceOf(record) : undefined };
    const profile = await placeBaseScripts(resolution.profile, host);
    this.#settled = undefined;
    const next: TuningRecord = {
      node,
      bootId,
      spec,
      bootcmdline: profile.bootArguments.join(" "),
      complete: true,
      exec,
      bootArguments,
    };
    const known = equal(record, next);
    if (!known) await saveRecord(host, { ...next, complete: false });
    const wanted = { ...resolution, profile, fingerprint };
    await this.#follower.begin();
    let by: AppliedBy;
    try {
      by = await engines.apply(wanted);
    } catch (error) {
      if (!(error instanceof NotAppliedError)) throw error;
      await removeRecord(host);
      return { outcome: { type: "failed", message: error.message }, inForce: { tunedProfile: "" } };
    }
    if (!known) await saveRecord(host, next);
    this.#resyncedAt = this.#options.clock.monotonic();
    this.#known = true;
    const answers = reportedAnswers(resolution.answers);
    const inForce = { ...inForceOf(next), ...(answers.length > 0 ? { answers } : {}) };
    // After an apply that did not end, what differs was not set yet.
    const drift = record?.complete === false ? [] : by.report.settings.flatMap(driftOf);
    this.#settled = { wanted, inForce, applied: await this.#applied(wanted, by, drift) };
    return this.#tuning(this.#settled);
  }

  /** What is in force, after a check if one was due. */
  async #checked(): Promise<Settled | undefined> {
    const all = this.#resyncInMs <= 0;
    if (!this.#settled || !(all || this.#follower.isDue)) return this.#settled;
    const { wanted, applied } = this.#settled;
    if (all) {
      this.#resyncedAt = this.#options.clock.monotonic();
      // Settings that failed may work now, but applying again would also run scripts again.
      const hasScript = wanted.profile.units.some(({ type }) => type === "script");
      if (!hasScript && applied.report.settings.some(isFailed)) return undefined;
    }
    this.#settled = { ...this.#settled, applied: await this.#follower.check(wanted, applied, all) };
    return this.#settled;
  }

  async #applied(
    wanted: ToApply,
    { engine, reason, report, refused = [] }: AppliedBy,
    drifted: readonly Repaired[],
  ): Promise<Applied> {
    const { engines, log } = this.#options;
    const { profile } = wanted;
    log.info({ profile: profile.profile, engine, reason, settings: report.settings.length }, "profile applied");
    const drift = await this.#follower.follow(wanted, drifted);
    return {
      type: "applied",
      report,
      warnings: [...profile.warnings, ...refused],
      engine: engines.option === "auto" ? { engine, reason } : undefined,
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

/** Everything in a spec that changes how a node is tuned: `verbosity` does not. */
function fingerprintOf(spec: ProfileSpec): string {
  const { tunedConfig, debug = false } = spec.config;
  return hashOf([inputsOf(spec), tunedConfig?.reapply_sysctl ?? true, debug]);
}

function inForceOf({ spec, bootcmdline }: TuningRecord): InForce {
  return { tunedProfile: spec.config.tunedProfile, bootcmdline, bootcmdlineInputs: inputsOf(spec) };
}

/** Arguments that the running kernel lacks wait for the next boot, or for the MachineConfig of a pool. */
async function withPending(inForce: InForce, host: Host): Promise<InForce> {
  const file = await host.read("/proc/cmdline");
  if (file.type !== "text" || !inForce.bootcmdline) return inForce;
  const running = new Set(splitArguments(file.text));
  const pending = splitArguments(inForce.bootcmdline).filter((word) => !running.has(word));
  return pending.length === 0 ? inForce : { ...inForce, bootcmdlinePending: pending.join(" ") };
}

function isFailed({ type }: SettingReport): boolean {
  return type === "failed";
}
