import type { Host } from "../../host/host.ts";
import { excludedSysctls, parseGlobalConfig } from "../../../language/tuned/text/global-config.ts";
import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import type { Unit } from "../../../language/tuned/unit.ts";
import { changesOtherFiles, otherFiles } from "../../../language/tuned/version-differences.ts";
import { carryOut } from "../carry-out.ts";
import type {
  ApplyOptions,
  ApplyReport,
  Engine,
  Restored,
  RollbackOptions,
  RollbackReport,
  VerifyReport,
} from "../engine.ts";
import { loadJournal, onLedger, saveJournal } from "../journal.ts";
import type { Claim, Entry, Ledger } from "../ledger.ts";
import { nativeEngine, profileOwner as owner } from "../native-engine.ts";
import { planUnits } from "../plan-units.ts";
import type { Plugin } from "../plugin.ts";
import { nativePlugins } from "../plugins/native-plugins.ts";
import { putBack } from "../put-back.ts";
import { serialQueue } from "../../host/serial-queue.ts";
import type { UnitStep } from "../unit-step.ts";
import { evictConflicts, endOrphan } from "./evict-conflicts.ts";
import { configFiles, mainConfig } from "./config-files.ts";
import { NotAppliedError } from "./not-applied-error.ts";
import { findTuned } from "./other-tuned.ts";
import { recordFiles, recordOriginals, recordWholeFiles, wholeFile } from "./record-originals.ts";
import { namePrefix, renderProfile } from "./render-profile.ts";
import { recordText, settingReports } from "./setting-reports.ts";
import type { Round } from "./round.ts";
import { tunedVersion } from "./tuned-facts.ts";
import { type DaemonEvent, type Outcome, Supervisor, type SupervisorOptions } from "./supervisor.ts";

export interface TunedEngineOptions extends SupervisorOptions {
  /** Plug-ins that find originals and differences. Default: those of the native engine. */
  readonly plugins?: readonly Plugin[];
  /** Rejects if another process runs such an engine on the node. Called before the first change. */
  readonly lock?: () => Promise<unknown>;
}

/** State of the daemon since the last report. */
export interface TunedStatus {
  readonly running: boolean;
  readonly pid?: number | undefined;
  /** Errors since the last start or reload, and why it is not running. */
  readonly errors: readonly string[];
}

const reasons = { refused: "Refused", died: "Died", hung: "Hung", exited: "Exited" } as const;

/** Applies profiles with the TuneD daemon: records originals before, and verifies the node afterwards. */
export class TunedEngine implements Engine {
  readonly name = "tuned";
  readonly #options: TunedEngineOptions;
  readonly #supervisor: Supervisor;
  readonly #plugins: ReadonlyMap<string, Plugin>;
  readonly #enqueue = serialQueue();
  #locked = false;
  #version: string | undefined;
  #round: Round | undefined;
  #trouble: string | undefined;

  constructor(options: TunedEngineOptions) {
    const { plugins = nativePlugins } = options;
    this.#options = options;
    this.#plugins = new Map(plugins.map((plugin) => [plugin.type, plugin]));
    this.#supervisor = new Supervisor({ ...options, onEvent: (event) => this.#notice(event) });
  }

  status(): TunedStatus {
    const { running, pid } = this.#supervisor;
    const errors = (this.#round?.errors ?? []).map(recordText);
    return { running, pid, errors: this.#trouble === undefined ? errors : [...errors, this.#trouble] };
  }

  apply(profile: ResolvedProfile, host: Host, options: ApplyOptions = {}): Promise<ApplyReport> {
    return this.#enqueue(() => onLedger(host, () => this.#apply(profile, host, options)));
  }

  verify(profile: ResolvedProfile, host: Host, options: ApplyOptions = {}): Promise<VerifyReport> {
    return this.#enqueue(async () => {
      await this.#learnVersion(host);
      const native = nativeEngine([...this.#plugins.values()]);
      return native.verify(this.#comparable(profile), host, await this.#planOptions(host, options));
    });
  }

  rollback(host: Host, options: RollbackOptions = {}): Promise<RollbackReport> {
    return this.#enqueue(() => onLedger(host, () => this.#rollback(host, options)));
  }

  async #rollback(host: Host, { extent }: RollbackOptions): Promise<RollbackReport> {
    await this.#supervisor.quiet();
    const { orphan } = await findTuned(host, this.#supervisor.pid);
    if (orphan) await endOrphan(orphan.pid, host, this.#options.timer);
    const knows = this.#supervisor.running && !this.#supervisor.startedOverTuned;
    const undone = (await this.#supervisor.stop(knows ? "undo" : "keep")) && knows;
    this.#round = undefined;
    this.#trouble = undefined;
    const journal = await loadJournal(host);
    const given = new Set(journal.ledger.entries().map(({ target }) => target));
    const restored = await giveUp(journal.ledger, host, { undone, extent });
    if (undone) await reassertOthers(journal.ledger, host, given);
    await saveJournal(host, journal);
    return { restored };
  }

  async #apply(profile: ResolvedProfile, host: Host, given: ApplyOptions): Promise<ApplyReport> {
    const supervisor = this.#supervisor;
    if (!this.#locked) await this.#options.lock?.();
    this.#locked = true;
    await supervisor.quiet();
    await this.#learnVersion(host);
    const { debug = false } = given;
    // The log level is an argument of the daemon.
    if (supervisor.running && supervisor.debug !== debug) await supervisor.stop("keep");
    await evictConflicts(host, this.#options.timer, supervisor.pid);

    const options = await this.#planOptions(host, given);
    const rendered = renderProfile(profile);
    const files = configFiles(rendered, await textOf(mainConfig, host), given);
    const journal = await loadJournal(host);
    const { ledger } = journal;
    const tuned = ledger.entries().some(({ claims }) => claims.some((claim) => claim.owner === owner && claim.made));
    const same = tuned && (await areAsWanted(files, host));

    // A daemon that started over tuned values would restore those, and compare with them, when the profile changes.
    const how = supervisor.running && !supervisor.startedOverTuned ? "reload" : same ? "start over tuned" : "start";
    const restored: Restored[] = [];
    if (how === "start") {
      await supervisor.stop("keep");
      restored.push(...(await giveUp(ledger, host, { undone: false })));
    }
    const comparable = this.#comparable(profile);
    const plan = (purpose: "apply" | "verify", units = comparable.units): Promise<UnitStep[]> =>
      planUnits({ profile: { ...comparable, units }, host, ledger, plugins: this.#plugins, purpose, options });
    const before = await plan("apply");
    const holder = (target: string): Claim | undefined => ledger.holder(target, owner);
    const { left } = rendered;
    if (supervisor.running && same && this.#round && !before.some((step) => isToDo(step, holder)))
      return { settings: settingReports({ before, after: [], left, round: this.#round, holder }), restored };

    recordOriginals(before, ledger, owner);
    const changedByTuned = otherFiles(profile, this.#version);
    await recordWholeFiles(changedByTuned, host, ledger, owner);
    const different = await recordFiles(files, host, ledger, owner);
    await saveJournal(host, journal);
    for (const [path, text] of different) await write(path, text, host);
    const outcome =
      how === "reload"
        ? await supervisor.reload(rendered.name)
        : await supervisor.start(rendered.name, { overTuned: how === "start over tuned", debug });
    this.#note(outcome);

    if (outcome.type !== "applied") {
      const undone = await giveUp(ledger, host, { undone: false });
      await saveJournal(host, journal);
      throw new NotAppliedError(reasons[outcome.type], complaint(outcome), [...restored, ...undone]);
    }
    const targets = before.flatMap((step) => ("target" in step ? [step.target] : []));
    const wanted = new Set([...targets, ...files.keys(), mainConfig, ...changedByTuned.map(wholeFile)]);
    restored.push(...(await giveUp(ledger, host, { undone: how === "reload", except: wanted })));
    await reassertOthers(ledger, host, wanted);
    await saveJournal(host, journal);
    const after = await plan("verify", withoutScripts(comparable.units));
    return { settings: settingReports({ before, after, left, round: outcome.round, holder }), restored };
  }

  /** Without units that native plug-ins cannot compare: for those, only TuneD's log is known. */
  #comparable(profile: ResolvedProfile): ResolvedProfile {
    const units = profile.units.filter(
      ({ type }) => this.#plugins.has(type) && !changesOtherFiles(type, this.#version),
    );
    return { ...profile, units };
  }

  async #learnVersion(host: Host): Promise<void> {
    if (this.#version !== undefined) return;
    const facts = await tunedVersion(host);
    if (facts.type === "installed") this.#version = facts.version;
  }

  /** Options of the node's TuneD configuration, overridden by the given ones. */
  async #planOptions(host: Host, given: ApplyOptions): Promise<ApplyOptions> {
    const config = parseGlobalConfig((await textOf(mainConfig, host)) ?? "", mainConfig);
    const enabled = config.options.get("reapply_sysctl") !== false;
    return {
      reapplySysctl: { enabled, exclude: excludedSysctls(config) },
      profileDirectories: ["/usr/lib/tuned", "/usr/lib/tuned/profiles", "/etc/tuned", "/etc/tuned/profiles"],
      ...given,
    };
  }

  #note(outcome: Outcome): void {
    this.#round = outcome.round;
    this.#trouble = outcome.type === "applied" ? undefined : outcome.message;
  }

  #notice(event: DaemonEvent): void {
    if (event.type === "restarted") this.#note(event.outcome);
    if (event.type === "crashed") this.#trouble = `${event.message}; started again in ${event.restartInMs / 1000} s`;
    this.#options.onEvent?.(event);
  }
}

const ownFolder = new RegExp(`^(/etc/tuned/${namePrefix}[^/]+)/[^/]+$`);

interface GiveUp {
  /** Whether TuneD has undone its changes: then programs (scripts, services) are not run again to undo them. */
  undone: boolean;
  except?: ReadonlySet<string> | undefined;
  extent?: "full" | "shutdown" | undefined;
}

async function giveUp(ledger: Ledger, host: Host, { undone, except, extent }: GiveUp): Promise<Restored[]> {
  const isGivenUp = ({ target }: Entry): boolean => except?.has(target) !== true;
  const isDone = ({ undo }: Entry): boolean => undone && undo.some(({ type }) => type === "run");
  const restored = await putBack({ ledger, host, owner, extent, which: (entry) => isGivenUp(entry) && !isDone(entry) });
  for (const entry of ledger.entries()) if (isGivenUp(entry) && isDone(entry)) ledger.release(entry.target, owner);
  // Earlier versions did not note the folders that they made.
  for (const { target } of restored) {
    const [, folder] = ownFolder.exec(target) ?? [];
    if (folder !== undefined) await host.prune(folder);
  }
  return restored;
}

/** TuneD writes every value of its profile, and restores all of them; claims that come before those of the profile are set again. */
async function reassertOthers(ledger: Ledger, host: Host, wanted: ReadonlySet<string>): Promise<void> {
  for (const target of wanted) {
    const top = ledger.find(target)?.claims.at(-1);
    if (top && top.owner !== owner) await carryOut(top.actions, host);
  }
}

/** Verifying after TuneD applied the profile must not run its scripts again. */
function withoutScripts(units: readonly Unit[]): Unit[] {
  return units.flatMap(({ scriptPre: _, scriptPost: __, ...unit }) => (unit.type === "script" ? [] : [unit]));
}

function isToDo(step: UnitStep, holder: (target: string) => Claim | undefined): boolean {
  return step.type === "change" && step.verified !== false && step.always !== true && !holder(step.target);
}

function complaint({ message, round }: Outcome): string {
  const errors = round.errors.map(recordText).filter((text) => !message.includes(text));
  return [message, ...errors.slice(0, 5)].join("; ");
}

async function areAsWanted(files: ReadonlyMap<string, string>, host: Host): Promise<boolean> {
  for (const [path, text] of files) if ((await textOf(path, host))?.trim() !== text.trim()) return false;
  return true;
}

async function textOf(path: string, host: Host): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : undefined;
}

async function write(path: string, text: string, host: Host): Promise<void> {
  const outcome = await host.replace(path, text);
  if (outcome.type === "failed") throw new Error(`write TuneD's configuration: ${outcome.message}`);
}
