import { generatedBy } from "../rendered-annotations.ts";
import { ignitionConfig } from "../../../language/ignition/config.ts";
import { writeJson } from "../../../language/object/exact-json.ts";
import { matchesLabels } from "../../../language/object/label-selector.ts";
import { type FieldError, invalid } from "../../../language/schema/field-error.ts";
import { apiVersion, type MachineConfig, type MachineConfigPool, roleLabel } from "../api.ts";
import {
  type GeneratedKind,
  generatedName,
  isGeneratedName,
  type PoolConfig,
  type TargetPool,
} from "./generated-kind.ts";
import { acceptedBefore, rememberedAnnotation, type Remembered } from "./remembered.ts";
import { type Conflict, FieldOwners, mergeSettings, type Settings } from "./settings.ts";
import { type LabelledPool, poolSelector, targetPools } from "./target-pools.ts";

export interface GenerateInput<T extends PoolConfig> {
  readonly pools: readonly MachineConfigPool[];
  /** All objects of the kind. Those that are being deleted count no more. */
  readonly objects: readonly T[];
  /** All MachineConfigs: what the pools' nodes have otherwise, and what was generated before. */
  readonly machineConfigs: readonly MachineConfig[];
  readonly version: string;
}

/** What became of one object. */
export interface Outcome {
  /** Names of the pools that it selects, sorted. */
  readonly pools: readonly string[];
  readonly problems: readonly FieldError[];
  /** Pools whose nodes keep what the object said when it was last accepted, and which generation that was. */
  readonly kept: readonly { readonly pool: string; readonly generation: number }[];
  readonly conflicts: readonly (Conflict & { readonly pool: string })[];
  readonly ignored: readonly string[];
}

export interface Generated {
  /** By name of the object, oldest first. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly machineConfigs: readonly MachineConfig[];
}

/**
 * One MachineConfig for each pool, from all objects that select it: merged in order of age, so that the newest wins. An
 * object that cannot be used changes nothing: what it said before stays, and the others count.
 */
export function generate<T extends PoolConfig>(kind: GeneratedKind<T>, input: GenerateInput<T>): Generated {
  const refused: Refused = new Map();
  for (;;) {
    const before = refused.size;
    const generated = attempt(kind, input, refused);
    // An object that does not fit to the others of one pool is refused for its other pools as well.
    if (refused.size === before) return generated;
  }
}

/** Objects that are valid, but not together with older ones. */
type Refused = Map<string, readonly FieldError[]>;

function attempt<T extends PoolConfig>(kind: GeneratedKind<T>, input: GenerateInput<T>, refused: Refused): Generated {
  const pools = targetPools(input.pools, input.machineConfigs, (name) => isGeneratedName(kind, name));
  const live = input.objects.filter(({ metadata }) => !metadata.deletionTimestamp).toSorted(oldestFirst);
  const drafts = live.map((object) => draftOf(kind, object, pools, refused));
  const byName = new Map(input.machineConfigs.map((config) => [config.metadata.name, config]));
  const machineConfigs = pools.flatMap((pool) => {
    const observed = byName.get(generatedName(kind, pool.name));
    const chosen = drafts.filter((draft) => draft.pools.includes(pool));
    return poolConfig({ kind, pool, chosen, observed, version: input.version, refused }) ?? [];
  });
  return { machineConfigs, outcomes: new Map(drafts.map((draft) => [draft.name, outcomeOf(draft)])) };
}

interface Draft {
  readonly name: string;
  readonly object: PoolConfig;
  readonly pools: readonly TargetPool[];
  readonly settings: Settings;
  readonly problems: readonly FieldError[];
  readonly kept: { pool: string; generation: number }[];
  readonly conflicts: (Conflict & { readonly pool: string })[];
  readonly ignored: Set<string>;
}

function draftOf<T extends PoolConfig>(
  kind: GeneratedKind<T>,
  object: T,
  all: readonly LabelledPool[],
  refused: Refused,
): Draft {
  const chosen = poolSelector(object.spec?.machineConfigPoolSelector);
  const pools = chosen.type === "labels" ? all.filter(({ labels }) => matchesLabels(chosen.selector, labels)) : [];
  const { settings, problems, ignored } = kind.read(object, pools);
  const field = "spec.machineConfigPoolSelector";
  const given = object.spec?.machineConfigPoolSelector ?? null;
  const selection =
    chosen.type === "invalid"
      ? [invalid(field, given, chosen.message)]
      : pools.length === 0
        ? [invalid(field, given, "selects no MachineConfigPool: its matchLabels are compared with the labels of pools")]
        : [];
  const name = object.metadata.name ?? "";
  return {
    name,
    object,
    pools,
    settings,
    problems: [...selection, ...problems, ...(refused.get(name) ?? [])],
    kept: [],
    conflicts: [],
    ignored: new Set(ignored),
  };
}

function outcomeOf({ pools, problems, kept, conflicts, ignored }: Draft): Outcome {
  return { pools: pools.map(({ name }) => name), problems, kept, conflicts, ignored: [...ignored] };
}

interface ForPool {
  readonly kind: Pick<GeneratedKind, "word" | "check" | "files" | "ignored">;
  readonly pool: TargetPool;
  /** Oldest first. */
  readonly chosen: readonly Draft[];
  readonly observed: MachineConfig | undefined;
  readonly version: string;
  readonly refused: Refused;
}

/** The pool's MachineConfig. Conflicts are added to the drafts, and objects that do not fit to older ones to `refused`. */
function poolConfig({ kind, pool, chosen, observed, version, refused }: ForPool): MachineConfig | undefined {
  const before = acceptedBefore(observed);
  const owners = new FieldOwners();
  const used: { draft: Draft; remembered: Remembered }[] = [];
  let merged: Settings = {};
  const problemsWith = ({ settings }: Remembered): readonly FieldError[] =>
    kind.check(mergeSettings(merged, settings), pool);
  for (const draft of chosen) {
    const { uid = "", generation = 0 } = draft.object.metadata;
    const now = { uid, generation, settings: draft.settings };
    const isUsable = draft.problems.length === 0;
    const problems = isUsable ? problemsWith(now) : [];
    if (problems.length > 0) refused.set(draft.name, problems);
    const remembered = isUsable ? now : before.get(draft.name);
    if (remembered?.uid !== uid || problemsWith(remembered).length > 0) continue;
    if (!isUsable) draft.kept.push({ pool: pool.name, generation: remembered.generation });
    addConflicts(owners.add(draft.name, remembered.settings), pool.name, chosen);
    for (const text of kind.ignored(remembered.settings, pool)) draft.ignored.add(text);
    merged = mergeSettings(merged, remembered.settings);
    used.push({ draft, remembered });
  }
  if (used.length === 0) return undefined;
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: {
      name: generatedName(kind, pool.name),
      labels: { [roleLabel]: pool.name },
      annotations: {
        // Unchanged by an upgrade, which should write no MachineConfig.
        [generatedBy]: observed?.metadata.annotations?.[generatedBy] ?? version,
        [rememberedAnnotation]: writeJson(
          Object.fromEntries(used.map(({ draft, remembered }) => [draft.name, remembered])),
        ),
      },
      ownerReferences: used.map(({ draft: { object, name } }) => ({
        apiVersion: object.apiVersion,
        kind: object.kind,
        name,
        uid: object.metadata.uid ?? "",
      })),
    },
    spec: { config: ignitionConfig(kind.files(merged, pool)) },
  };
}

function addConflicts(found: readonly Conflict[], pool: string, drafts: readonly Draft[]): void {
  for (const conflict of found)
    for (const draft of drafts)
      if (draft.name === conflict.older || draft.name === conflict.newer) draft.conflicts.push({ ...conflict, pool });
}

/** Names decide between objects of the same second. */
function oldestFirst({ metadata: a }: PoolConfig, { metadata: b }: PoolConfig): number {
  const [left, right] = [a, b].map(({ creationTimestamp, name }) => `${creationTimestamp ?? ""} ${name ?? ""}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
}
