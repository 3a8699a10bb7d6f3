import { formatTime } from "../../../language/object/time.ts";
import type { MachineConfig, MachineConfigPool } from "../../machine-config/api.ts";
import { changesBetween } from "../../machine-config/cost/changes.ts";
import { readContents } from "../../machine-config/read-contents.ts";
import { renderPool } from "../../machine-config/render-pool.ts";
import { type BarrierInput, longestMs, objectsMissing, whatIsMissing } from "../../rollout/barrier.ts";
import { profileOfSet, setOf } from "../../rollout/derived-set.ts";
import { selects } from "../pools.ts";

/** `true` on a pool: its owner lets Attune pause it. */
export const mayPauseAnnotation = "rollout.attune.dev/may-pause";
/**
 * Another operator renders a pool at any moment between two writes of one change, and restarts nodes for each rendering. So a
 * pool that may be is paused before the first write, and resumed when it has rendered the last. On the pool: the set of objects
 * that it waits for, `profile/hash`; without hash, the objects of that profile are being deleted.
 */
export const pausedForAnnotation = "rollout.attune.dev/paused-for";
/** On the same pool: since when. RFC 3339. */
export const pausedSinceAnnotation = "rollout.attune.dev/paused-since";

/** Undefined: Attune has not paused it. */
export function pausedFor({ metadata: { annotations = {} } }: Pick<MachineConfigPool, "metadata">): string | undefined {
  return Object.hasOwn(annotations, pausedForAnnotation) ? annotations[pausedForAnnotation] : undefined;
}

export interface Pause {
  readonly pool: MachineConfigPool;
  readonly set: string;
}

export interface ProfileChange {
  readonly profile: string;
  /** What its objects will be; undefined: they are being deleted. */
  readonly next?: { readonly set: string; readonly labels: Labels } | undefined;
  /** Labels of its MachineConfig now. */
  readonly labels?: Labels | undefined;
  /** Whether anything is still to be written. */
  readonly isChanging: boolean;
}
type Labels = Readonly<Record<string, string>>;

/** The pools to pause before the objects of a profile are written: of those that may be, the ones with its MachineConfig, now or then. */
export function pauses(
  pools: readonly MachineConfigPool[],
  { profile, next, labels, isChanging }: ProfileChange,
): Pause[] {
  return pools.flatMap((pool) => {
    const has = (one: Labels | undefined): boolean =>
      one !== undefined && selects(pool.spec?.machineConfigSelector, one);
    if (!has(next?.labels) && !has(labels)) return [];
    const set = next && has(next.labels) ? next.set : `${profile}/`;
    const paused = pausedFor(pool);
    const isNeeded =
      paused === undefined
        ? isChanging && !pool.spec?.paused && pool.metadata.annotations?.[mayPauseAnnotation] === "true"
        : paused !== set && (isChanging || profileOfSet(paused) === profile);
    return isNeeded ? [{ pool, set }] : [];
  });
}

/** In one write: a pool that is paused always says what for. */
export function pausePatch({ pool, set }: Pause, now: number): object {
  const { resourceVersion, annotations } = pool.metadata;
  const since = annotations?.[pausedSinceAnnotation] ?? formatTime(now);
  return {
    metadata: { resourceVersion, annotations: { [pausedForAnnotation]: set, [pausedSinceAnnotation]: since } },
    // A user who resumed it meanwhile is right.
    ...(pausedFor(pool) === undefined ? { spec: { paused: true } } : {}),
  };
}

export function resumePatch({ metadata: { resourceVersion } }: MachineConfigPool): object {
  const annotations = { [pausedForAnnotation]: null, [pausedSinceAnnotation]: null };
  return { metadata: { resourceVersion, annotations }, spec: { paused: false } };
}

/** The longest pause: a rendering that is refused must not stop other changes of a pool for ever. */
export const longestPauseMs = 2 * longestMs;

export type Resume =
  | { readonly type: "wait"; readonly againInMs: number }
  /** Everything is written: when it is rendered, too. */
  | { readonly type: "when rendered"; readonly againInMs: number }
  | { readonly type: "now" };

/** Whether a pool that Attune has paused is resumed. */
export function resume(input: Omit<BarrierInput, "rendering" | "untold">): Resume | undefined {
  const { pool, sources, now } = input;
  const set = pausedFor(pool);
  if (set === undefined) return undefined;
  const age = now - Date.parse(pool.metadata.annotations?.[pausedSinceAnnotation] ?? "");
  // Clocks differ a little; after one that was far ahead the pool must not wait for its time.
  if (!(age < longestPauseMs && age > -longestMs)) return { type: "now" };
  const againInMs = (age < longestMs ? longestMs : longestPauseMs) - age;
  const missing = age < longestMs ? whatIsMissing(input) : objectsMissing(input);
  const isWritten = !missing && hasSet(sources, set);
  return { type: isWritten ? "when rendered" : "wait", againInMs };
}

function hasSet(sources: readonly MachineConfig[], set: string): boolean {
  const profile = profileOfSet(set);
  const sets = sources.flatMap((source) => setOf(source) ?? []).filter((one) => profileOfSet(one) === profile);
  return set === `${profile}/` ? sets.length === 0 : sets.includes(set);
}

/** Whether a rendered config has all that these MachineConfigs say. Images are those of the other operator. */
export function isRendered(
  pool: MachineConfigPool,
  sources: readonly MachineConfig[],
  rendered: MachineConfig,
): boolean {
  const wanted = renderPool({ pool, machineConfigs: sources, version: "", digest: () => "" });
  const found = readContents(rendered.spec);
  if (wanted.type !== "rendered" || found.type !== "contents") return false;
  const { osImage: _, ...changes } = changesBetween(found.contents, wanted.contents);
  return Object.values(changes).every((change) => (Array.isArray(change) ? change.length === 0 : change === false));
}
