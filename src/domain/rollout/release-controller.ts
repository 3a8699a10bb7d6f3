import { ifThere, isAlreadyExists } from "../../cluster/kube/api-error.ts";
import type { Cache } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { equal } from "../../language/object/json.ts";
import { type PlannedEvent, referenceTo } from "../../language/object/plan.ts";
import {
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
  type PoolConfiguration,
} from "../machine-config/api.ts";
import { originsText } from "../machine-config/origins.ts";
import type { Rendering } from "../machine-config/render-pool.ts";
import { originsAnnotation, osImageOverridden } from "../machine-config/rendered-annotations.ts";
import { type Barrier, barrier, type BarrierInput } from "./barrier.ts";
import { releasedSetsAnnotation, setOf } from "./derived-set.ts";
import { heldAnnotation, heldText, heldWaits } from "./held.ts";
import { fieldManager } from "./node-writer-controller.ts";
import type { PoolAuthority } from "./pool-authority.ts";
import { configurationOf } from "./rendering.ts";
import type { Waiting } from "./waiting.ts";

export interface ReleaseOptions {
  readonly client: Client;
  readonly machineConfigs: Cache<MachineConfig>;
  /** What else belongs to a change. */
  readonly awaited: () => Pick<BarrierInput, "boot" | "kubeletConfigs">;
  readonly authority?: Pick<PoolAuthority, "releasing"> | undefined;
  readonly clock: Clock;
  readonly recorder?: { record(event: PlannedEvent): void } | undefined;
}

/** A pool with the config that its nodes should have now. */
export interface Released {
  readonly pool: MachineConfigPool;
  /** Why a rendering is held, or was released without some nodes. */
  readonly waiting: readonly Waiting[];
  /** What other nodes would be told is about to change: they would restart twice. */
  readonly isHeld?: boolean | undefined;
  readonly againInMs?: number | undefined;
}

export interface ToRelease {
  readonly rendering: Rendering | undefined;
  readonly sources: readonly MachineConfig[];
  /** Nodes of the pool that have not been told a rendering. */
  readonly untoldOf: (rendering: string) => BarrierInput["untold"];
}

/** Stores the rendering of a pool and makes it the pool's target, once the barrier is open. */
export async function releaseRendering(
  pool: MachineConfigPool,
  { rendering, sources, untoldOf }: ToRelease,
  options: ReleaseOptions,
  signal: AbortSignal,
): Promise<Released> {
  if (rendering?.type !== "rendered" || pool.metadata.deletionTimestamp) return { pool, waiting: [] };
  const configuration = configurationOf(rendering);
  const { clock, client, awaited } = options;
  const { name: wanted } = configuration;
  const gate = barrier({
    pool,
    rendering: wanted,
    sources,
    untold: untoldOf(wanted),
    ...awaited(),
    now: clock.now(),
  });
  if (gate.type === "open") {
    await storeRendering(pool, rendering, options, signal);
    await options.authority?.releasing(pool, configuration.name, signal);
  }
  const patch = patchOf(pool, gate, { configuration, sources });
  const { name = "" } = pool.metadata;
  const written = patch
    ? await client.patch(machineConfigPoolKind, name, { type: "merge", patch }, { fieldManager, signal })
    : pool;
  const waiting = heldWaits(gate.held);
  return gate.type === "held"
    ? { pool: written, waiting, isHeld: true, againInMs: gate.againInMs }
    : { pool: written, waiting };
}

async function storeRendering(
  pool: MachineConfigPool,
  { config, origins }: Extract<Rendering, { type: "rendered" }>,
  { client, machineConfigs, recorder }: ReleaseOptions,
  signal: AbortSignal,
): Promise<void> {
  const { name = "", annotations } = config.metadata;
  const text = originsText(origins) ?? null;
  const present = machineConfigs.get(name);
  if (present) {
    // The same contents may come from other MachineConfigs than before.
    if ((present.metadata.annotations?.[originsAnnotation] ?? null) === text) return;
    const patch = { metadata: { annotations: { [originsAnnotation]: text } } };
    await ifThere(client.patch(machineConfigKind, name, { type: "merge", patch }, { fieldManager, signal }));
    return;
  }
  const named = text === null ? annotations : { ...annotations, [originsAnnotation]: text };
  const stored = { ...config, metadata: { ...config.metadata, annotations: named } };
  try {
    await client.create(machineConfigKind, stored, { fieldManager, signal, ignoreResponse: true });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return;
  }
  const record = (reason: string, message: string): void =>
    recorder?.record({ regarding: referenceTo(pool), type: "Normal", reason, message });
  if (annotations?.[osImageOverridden] === "true")
    record(
      "OSImageURLOverridden",
      `${name} has the operating system ${config.spec?.osImageURL}, which a MachineConfig chose`,
    );
  record("RenderedConfigGenerated", `${name} successfully generated`);
}

/** Target and reason change in one write: an operator that is killed leaves no pool with half of it. */
function patchOf(
  { metadata, spec }: MachineConfigPool,
  gate: Barrier,
  { configuration, sources }: { readonly configuration: PoolConfiguration; readonly sources: readonly MachineConfig[] },
): object | undefined {
  const held = gate.held && heldText(gate.held);
  const sets = sources.flatMap((source) => setOf(source) ?? []).toSorted();
  const annotations = Object.entries({
    [heldAnnotation]: held,
    ...(gate.type === "open" ? { [releasedSetsAnnotation]: sets.length > 0 ? sets.join(",") : undefined } : {}),
  }).filter(([name, value]) => metadata.annotations?.[name] !== value);
  const isTarget = gate.type === "held" || equal(spec?.configuration ?? {}, configuration);
  if (isTarget && annotations.length === 0) return undefined;
  return {
    metadata: { annotations: Object.fromEntries(annotations.map(([name, value]) => [name, value ?? null])) },
    ...(isTarget ? {} : { spec: { configuration } }),
  };
}
