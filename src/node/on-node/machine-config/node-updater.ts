import type { MachineConfig } from "../../../domain/machine-config/api.ts";
import { type Changes, changesBetween, withoutInstalled } from "../../../domain/machine-config/cost/changes.ts";
import { type Cost, costOf, isHigher } from "../../../domain/machine-config/cost/cost-of.ts";
import type { DisruptionPolicy } from "../../../domain/machine-config/cost/disruption-policy.ts";
import { changesState } from "../../../domain/machine-config/plain-hosts/kubelet-change.ts";
import { emptyContents, type MachineContents } from "../../../domain/machine-config/machine-contents.ts";
import { readContents } from "../../../domain/machine-config/read-contents.ts";
import type { Exclusive } from "../../host/serial-queue.ts";
import { readBootId } from "../../host/boot-id.ts";
import type { Host } from "../../host/host.ts";
import { act, policyHere } from "./act.ts";
import { applyContents, baseArguments, type Deviations, releaseContents, verifyContents } from "./apply-contents.ts";
import type { PlanContents } from "./plan-contents.ts";
import { watchedPaths } from "./watched-paths.ts";
import { startKubelet, stopForNewState } from "./kubelet/new-state.ts";
import type { AskedBoot } from "./attempts.ts";
import { ConfigStore, type KeptConfig, type PendingConfig } from "./config-store.ts";

export interface NodeUpdaterOptions {
  readonly host: Host;
  /** No other operation on the ledger runs meanwhile. */
  readonly exclusive: Exclusive;
}

export interface NodeConfigs {
  readonly current: KeptConfig | undefined;
  readonly pending: PendingConfig | undefined;
  readonly bootId: string;
}

/** An update that can begin: its contents were read, and its cost is known. */
export interface PlannedUpdate {
  readonly config: KeptConfig;
  readonly contents: MachineContents;
  readonly changes: Changes;
  readonly cost: Cost;
  /** CPUs and memory are allocated anew: the kubelet must forget what it remembers of pods. */
  readonly renewsKubelet: boolean;
}

export type Planned = ({ readonly type: "update" } & PlannedUpdate) | Refused;

export interface Refused {
  readonly type: "refused";
  readonly reason: string;
}

/** `reboot`: everything is applied, and only a boot is missing. */
export type Applied =
  | Verified
  | { readonly type: "reboot"; readonly pending: PendingConfig; readonly findings: readonly string[] };

export type Verified = { readonly type: "applied"; readonly findings: readonly string[] } | Refused;

/** Brings configs to one node. Whatever is cut off at any write is finished, or begun again, by the next call. */
export class NodeUpdater {
  readonly #host: Host;
  readonly #exclusive: Exclusive;
  readonly #store: ConfigStore;

  constructor({ host, exclusive }: NodeUpdaterOptions) {
    this.#host = host;
    this.#exclusive = exclusive;
    this.#store = new ConfigStore(host);
  }

  async configs(): Promise<NodeConfigs> {
    // All at once: one that fails while another is awaited would be a rejection that nobody handles.
    const [current, pending, bootId] = await Promise.all([
      this.#store.current(),
      this.#store.pending(),
      readBootId(this.#host),
    ]);
    return { current, pending, bootId };
  }

  /** What an update to the config would do; nothing is changed. */
  async plan(config: KeptConfig, policy: DisruptionPolicy): Promise<Planned> {
    const { current, pending } = await this.configs();
    const wanted = read(config);
    if (wanted.type === "refused") return wanted;
    const { contents } = wanted;
    // What an unfinished update to another config did may be in force already.
    const left = pending && pending.stage !== "rolled back" && pending.name !== config.name ? [pending] : [];
    const befores = [current, ...left].map((before) => (before ? read(before) : empty));
    const changes = befores.map((before) =>
      changesBetween(before.type === "refused" ? emptyContents : before.contents, contents),
    );
    const here = await policyHere(policy, changes, this.#host);
    const costs = changes.map((one) => costOf(withoutInstalled(one), here));
    let highest: Cost | undefined;
    for (const cost of costs) {
      if (cost.type === "problem") return { type: "refused", reason: `${config.name}: ${cost.message}` };
      if (!highest || isHigher(cost, highest)) highest = cost;
    }
    const renewsKubelet = changes.some(({ files }) => changesState(files));
    return { type: "update", config, contents, changes: changes[0]!, cost: highest!, renewsKubelet };
  }

  /** What the node lacks of a planned update; nothing is changed. */
  async deviations({ config, contents }: PlannedUpdate): Promise<Deviations> {
    return this.#exclusive(() => verifyContents({ contents, config: config.name, host: this.#host }));
  }

  /** Applies a planned update. Where it fails, the node gets its current config back. */
  async apply({ config, contents, changes, cost, renewsKubelet }: PlannedUpdate): Promise<Applied> {
    const { current, pending, bootId } = await this.configs();
    const failures = pending?.name === config.name ? pending.failures : 0;
    const { name, spec } = config;
    // After a crash the ledger may already have the arguments of the next config.
    const base = pending?.base ?? (await baseArguments(this.#host));
    const next: PendingConfig = { name, spec, stage: "applying", bootId, failures, base };
    await this.#store.savePending(next);
    const reloadUnits = changes.units.length > 0 || pending !== undefined;
    const stopped = renewsKubelet ? await stopForNewState(this.#host) : [];
    if (stopped.length > 0) return this.#rollBack(next, current, stopped, renewsKubelet);
    const { problems, findings } = await this.#exclusive(() =>
      applyContents({ contents, config: config.name, host: this.#host, reloadUnits }),
    );
    const boots = cost.level === "reboot";
    const failed = problems.length > 0 || boots ? problems : await act(cost.actions, this.#host);
    if (failed.length > 0) return this.#rollBack(next, current, failed, renewsKubelet);
    if (!boots) return this.#finish(next, { contents, findings });
    const booting: PendingConfig = { ...next, stage: "booting" };
    await this.#store.savePending(booting);
    return { type: "reboot", pending: booting, findings };
  }

  /** Verifies a pending config after the boot; then it is current. */
  async verify(pending: PendingConfig): Promise<Verified> {
    const wanted = read(pending);
    return wanted.type === "refused" ? wanted : this.#finish(pending, { contents: wanted.contents, findings: [] });
  }

  /** Whether the node still is as its current config says. */
  async drift(): Promise<Deviations> {
    const wanted = await this.#current();
    return wanted ? this.#exclusive(() => verifyContents(wanted)) : noDeviations;
  }

  /** Sets back what other processes have changed of the current config, and nothing else. No boot, no restart of a service. */
  async repair(): Promise<Deviations> {
    const wanted = await this.#current();
    return wanted ? this.#exclusive(() => applyContents({ ...wanted, reloadUnits: true })) : noDeviations;
  }

  /** Files whose change may be drift. */
  async watchedPaths(): Promise<readonly string[]> {
    const wanted = await this.#current();
    return wanted ? watchedPaths(wanted.contents, this.#host) : [];
  }

  /** Asks for the boot, which ends this process. That it was asked for is on disk before: the next agent does not ask at once. */
  async reboot(pending: PendingConfig, asked: AskedBoot): Promise<string | undefined> {
    await this.#store.savePending({ ...pending, asked });
    const [failed] = await act([{ type: "Reboot" }], this.#host);
    await this.#store.savePending({ ...pending, asked: { ...asked, isAnswered: true } });
    return failed;
  }

  /** The pending config failed before, and the node has the current one. */
  async forgetPending(): Promise<void> {
    await this.#store.dropPending();
  }

  /** Gives the node back: every original is restored. Returns what could not be. */
  async release(): Promise<readonly string[]> {
    const failed = await this.#exclusive(() => releaseContents(this.#host));
    if (failed.length === 0) await this.#store.clear();
    return failed;
  }

  async #current(): Promise<PlanContents | undefined> {
    const current = await this.#store.current();
    const found = current && read(current);
    return found?.type === "contents"
      ? { contents: found.contents, config: current!.name, host: this.#host }
      : undefined;
  }

  async #finish(
    pending: PendingConfig,
    { contents, findings }: { contents: MachineContents; findings: readonly string[] },
  ): Promise<Verified> {
    const current = await this.#store.current();
    const earlier = { before: argumentsOf(current), base: pending.base };
    const wanted = { contents, config: pending.name, host: this.#host };
    const found = await this.#exclusive(() => verifyContents(wanted, earlier));
    if (found.problems.length > 0) {
      const reason = reasonOf(pending.name, found.problems);
      const { asked: _, ...failed } = pending;
      await this.#store.savePending({ ...failed, stage: "applying", failures: pending.failures + 1, reason });
      return { type: "refused", reason };
    }
    await this.#store.finish(pending);
    return { type: "applied", findings: [...new Set([...findings, ...found.findings])] };
  }

  async #rollBack(
    next: PendingConfig,
    current: KeptConfig | undefined,
    problems: readonly string[],
    wasStopped: boolean,
  ): Promise<Refused> {
    const before = current ? read(current) : empty;
    const contents = before.type === "refused" ? emptyContents : before.contents;
    const { problems: left } = await this.#exclusive(() =>
      applyContents({ contents, config: current?.name ?? "", host: this.#host, reloadUnits: true }),
    );
    const started = wasStopped ? await startKubelet(this.#host) : [];
    const reason = reasonOf(next.name, [...problems, ...[...left, ...started].map((one) => `not rolled back: ${one}`)]);
    const stage = left.length > 0 ? "applying" : "rolled back";
    await this.#store.savePending({ ...next, stage, failures: next.failures + 1, reason });
    return { type: "refused", reason };
  }
}

type Read = { readonly type: "contents"; readonly contents: MachineContents } | Refused;

const noDeviations: Deviations = { problems: [], findings: [] };
const empty: Read = { type: "contents", contents: emptyContents };

function read({ name, spec }: { name: string; spec: MachineConfig["spec"] }): Read {
  const found = readContents(spec);
  if (found.type === "contents") return found;
  const [first] = found.problems;
  return { type: "refused", reason: `${name}: ${first?.field ?? ""}: ${first?.message ?? ""}` };
}

function argumentsOf(config: KeptConfig | undefined): readonly string[] {
  const found = config && read(config);
  return found?.type === "contents" ? found.contents.kernelArguments : [];
}

function reasonOf(config: string, problems: readonly string[]): string {
  return `${config}: ${problems.join("; ")}`;
}
