import type { ApplyOptions, ApplyReport, Engine, Restored, RollbackReport } from "../engine/engine.ts";
import { nativeEngine } from "../engine/native-engine.ts";
import type { Follow } from "../engine/plugin.ts";
import type { EngineChoice } from "../engine/choose-engine.ts";
import { chooseEngine, type EngineName } from "../engine/choose-engine.ts";
import { NotAppliedError } from "../engine/tuned-daemon/not-applied-error.ts";
import { pidFile } from "../engine/tuned-daemon/other-tuned.ts";
import type { TunedStatus } from "../engine/tuned-daemon/tuned-engine.ts";
import { type Exclusive, serialQueue } from "../host/serial-queue.ts";
import type { Host } from "../host/host.ts";
import type { ParsedProfile } from "../../language/tuned/text/parse-profile.ts";
import type { Notice } from "../../language/tuned/problem.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import { type ExecRule, execRule } from "./exec-policy.ts";
import { type ForTuned, withoutReferences } from "./tuned-references.ts";

/** An engine with a daemon that has a status. */
export type DaemonEngine = Engine & { status(): TunedStatus };

export interface NodeEnginesOptions {
  readonly host: Host;
  readonly option: EngineName;
  readonly native?: Engine | undefined;
  /** Absent where TuneD cannot run, as on a virtual node: then only native is used. */
  readonly tuned?: DaemonEngine | undefined;
  /** What else uses the ledger of the node runs in it too. Default: nothing else does. */
  readonly exclusive?: Exclusive | undefined;
}

export interface ToApply {
  readonly profile: ResolvedProfile;
  /** What the profile was merged from. */
  readonly texts: readonly ParsedProfile[];
  /** Identifies the profile's content, so that a failure of TuneD is remembered for it. */
  readonly fingerprint: string;
  readonly options: ApplyOptions;
  /** Which programs may run. Default: all. */
  readonly exec?: ExecRule | undefined;
}

export interface AppliedBy extends EngineChoice {
  readonly report: ApplyReport;
  /** Settings that the engine did not get. */
  readonly refused?: readonly Notice[] | undefined;
}

/** The engines of one node. At most one has a profile in force. */
export class NodeEngines {
  readonly option: EngineName;
  readonly #host: Host;
  readonly #native: Engine;
  readonly #tuned: DaemonEngine | undefined;
  readonly #exclusive: Exclusive;
  #active: "native" | "tuned" | undefined;
  /** The profile that TuneD failed with; it is not tried again for it. */
  #failed: { readonly fingerprint: string; readonly reason: string } | undefined;

  constructor({ host, option, native = nativeEngine(), tuned, exclusive = serialQueue() }: NodeEnginesOptions) {
    this.option = option;
    this.#host = host;
    this.#native = native;
    this.#tuned = tuned;
    this.#exclusive = exclusive;
  }

  /** Errors of TuneD since its last report. */
  get troubles(): readonly string[] {
    return this.#active === "tuned" ? (this.#tuned?.status().errors ?? []) : [];
  }

  /** Applies a profile with the engine that suits it, and rolls back what another engine had applied. */
  apply(wanted: ToApply): Promise<AppliedBy> {
    return this.#exclusive(() => this.#apply(wanted));
  }

  async #apply(wanted: ToApply): Promise<AppliedBy> {
    const { profile, refused } = withoutReferences(wanted.profile, wanted.exec ?? execRule("allow"));
    const { engine, reason } = await this.#choose(wanted, refused);
    if (engine === "native") return this.#applyNatively(wanted, reason);
    if (!this.#tuned) throw new Error("apply the profile with TuneD: TuneD is not available on this node");
    this.#active = "tuned";
    try {
      return { engine, reason, refused, report: await this.#tuned.apply(profile, this.#host, wanted.options) };
    } catch (error) {
      if (this.option !== "auto" || !(error instanceof NotAppliedError)) throw error;
      const { fingerprint } = wanted;
      this.#failed = { fingerprint, reason: error.message };
      return this.#applyNatively(wanted, error.message);
    }
  }

  /** Whether the native engine has a profile in force. */
  get isNative(): boolean {
    return this.#active === "native";
  }

  /** Tunes what is new or drifted. The TuneD daemon does so by itself. */
  async follow({ profile, options }: ToApply, follow: Follow): Promise<ApplyReport | undefined> {
    return this.#exclusive(async () =>
      this.isNative ? this.#native.follow?.(profile, this.#host, follow, options) : undefined,
    );
  }

  rollback(): Promise<RollbackReport> {
    return this.#exclusive(() => this.#rollback());
  }

  async #rollback(): Promise<RollbackReport> {
    const daemon = await this.#daemonToEnd();
    this.#active = undefined;
    return daemon ? endDaemon(daemon, this.#host) : this.#native.rollback(this.#host);
  }

  async #choose(
    { profile, texts, fingerprint }: ToApply,
    [refusedToTuned]: ForTuned["refused"],
  ): Promise<EngineChoice> {
    if (this.option === "auto" && this.#failed?.fingerprint === fingerprint)
      return { engine: "native", reason: this.#failed.reason };
    const own = this.#tuned?.status().pid;
    const choice = await chooseEngine({ option: this.option, host: this.#host, profile, texts, own });
    const isLess = this.option === "auto" && choice.engine === "tuned" && refusedToTuned;
    return isLess ? { engine: "native", reason: refusedToTuned.message } : choice;
  }

  async #applyNatively({ profile, options }: ToApply, reason: string): Promise<AppliedBy> {
    const host = this.#host;
    const daemon = this.#active === "native" ? undefined : await this.#daemonToEnd();
    const before: readonly Restored[] = daemon ? (await endDaemon(daemon, host)).restored : [];
    this.#active = "native";
    const { settings, restored } = await this.#native.apply(profile, host, options);
    return { engine: "native", reason, report: { settings, restored: [...before, ...restored] } };
  }

  /** The daemon that we started, or that was left running when an earlier agent was killed. */
  async #daemonToEnd(): Promise<DaemonEngine | undefined> {
    if (!this.#tuned || this.#active === "native") return undefined;
    if (this.#active === "tuned") return this.#tuned;
    return (await this.#host.read(pidFile)).type === "missing" ? undefined : this.#tuned;
  }
}

async function endDaemon(daemon: DaemonEngine, host: Host): Promise<RollbackReport> {
  const report = await daemon.rollback(host);
  // A killed daemon leaves its pid file.
  await host.remove(pidFile);
  return report;
}
