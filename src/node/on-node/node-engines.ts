import type { ApplyOptions, ApplyReport, Engine, Restored, RollbackReport } from "../engine/engine.ts";
import { nativeEngine } from "../engine/native-engine.ts";
import type { EngineChoice } from "../engine/tuned-daemon/choose-engine.ts";
import { chooseEngine, type EngineName } from "../engine/tuned-daemon/choose-engine.ts";
import { NotAppliedError } from "../engine/tuned-daemon/not-applied-error.ts";
import { pidFile } from "../engine/tuned-daemon/other-tuned.ts";
import type { TunedStatus } from "../engine/tuned-daemon/tuned-engine.ts";
import type { Host } from "../host/host.ts";
import type { ParsedProfile } from "../../language/tuned/text/parse-profile.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";

/** The engine that has a daemon, and can tell how it is doing. */
export type DaemonEngine = Engine & { status(): TunedStatus };

export interface NodeEnginesOptions {
  readonly host: Host;
  readonly option: EngineName;
  readonly native?: Engine;
  /** Absent where there is no TuneD to be had, as on a virtual node: then only native is used. */
  readonly tuned?: DaemonEngine;
}

export interface ToApply {
  readonly profile: ResolvedProfile;
  /** What the profile was merged from. */
  readonly texts: readonly ParsedProfile[];
  /** Names the profile's content: what TuneD could not do with it is remembered under this name. */
  readonly fingerprint: string;
  readonly options: ApplyOptions;
}

export interface AppliedBy extends EngineChoice {
  readonly report: ApplyReport;
}

/** The engines of one node, of which one at a time has a profile in force. */
export class NodeEngines {
  readonly option: EngineName;
  readonly #host: Host;
  readonly #native: Engine;
  readonly #tuned: DaemonEngine | undefined;
  #active: "native" | "tuned" | undefined;
  /** What TuneD failed with, for which it is not asked again. */
  #failed: { readonly fingerprint: string; readonly reason: string } | undefined;

  constructor({ host, option, native = nativeEngine(), tuned }: NodeEnginesOptions) {
    this.option = option;
    this.#host = host;
    this.#native = native;
    this.#tuned = tuned;
  }

  /** What TuneD complains of beyond its last report. */
  get troubles(): readonly string[] {
    return this.#active === "tuned" ? (this.#tuned?.status().errors ?? []) : [];
  }

  /** Applies a profile with the engine that suits it; afterwards nothing of another engine is left. */
  async apply(wanted: ToApply): Promise<AppliedBy> {
    const { engine, reason } = await this.#choose(wanted);
    if (engine === "native") return this.#applyNatively(wanted, reason);
    if (!this.#tuned) throw new Error("apply the profile with TuneD: this node has none");
    this.#active = "tuned";
    try {
      return { engine, reason, report: await this.#tuned.apply(wanted.profile, this.#host, wanted.options) };
    } catch (error) {
      if (this.option !== "auto" || !(error instanceof NotAppliedError)) throw error;
      const { fingerprint } = wanted;
      this.#failed = { fingerprint, reason: error.message };
      return this.#applyNatively(wanted, error.message);
    }
  }

  async rollback(): Promise<RollbackReport> {
    const daemon = await this.#daemonToEnd();
    this.#active = undefined;
    return daemon ? endDaemon(daemon, this.#host) : this.#native.rollback(this.#host);
  }

  async #choose({ profile, texts, fingerprint }: ToApply): Promise<EngineChoice> {
    if (this.option === "auto" && this.#failed?.fingerprint === fingerprint)
      return { engine: "native", reason: this.#failed.reason };
    const own = this.#tuned?.status().pid;
    return chooseEngine({ option: this.option, host: this.#host, profile, texts, own });
  }

  async #applyNatively({ profile, options }: ToApply, reason: string): Promise<AppliedBy> {
    const host = this.#host;
    const daemon = this.#active === "native" ? undefined : await this.#daemonToEnd();
    const before: readonly Restored[] = daemon ? (await endDaemon(daemon, host)).restored : [];
    this.#active = "native";
    const { settings, restored } = await this.#native.apply(profile, host, options);
    return { engine: "native", reason, report: { settings, restored: [...before, ...restored] } };
  }

  /** Ours, or one that an earlier agent was killed beside. */
  async #daemonToEnd(): Promise<DaemonEngine | undefined> {
    if (!this.#tuned || this.#active === "native") return undefined;
    if (this.#active === "tuned") return this.#tuned;
    return (await this.#host.read(pidFile)).type === "missing" ? undefined : this.#tuned;
  }
}

async function endDaemon(daemon: DaemonEngine, host: Host): Promise<RollbackReport> {
  const report = await daemon.rollback(host);
  // A daemon that was killed leaves it behind.
  await host.remove(pidFile);
  return report;
}
