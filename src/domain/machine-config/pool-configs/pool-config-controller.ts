import type { Informer } from "../../../cluster/kube/cache.ts";
import { isConflict, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { act, type ActResult } from "../../../cluster/runtime/act/act.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { ObjectReference, PlannedEvent } from "../../../language/object/plan.ts";
import { formatTime } from "../../../language/object/time.ts";
import { type MachineConfig, machineConfigKind, type MachineConfigPool } from "../api.ts";
import { poolOfRendering } from "../rendered-annotations.ts";
import { isSameSelection } from "../pools.ts";
import { decideGenerated, type MetadataChange } from "./decide-generated.ts";
import type { GeneratedKind, PoolConfig } from "./generated-kind.ts";

export interface PoolConfigControllerOptions<T extends PoolConfig> {
  readonly client: Client;
  readonly kind: GeneratedKind<T>;
  readonly objects: Informer<T>;
  readonly pools: Informer<MachineConfigPool>;
  /** With their spec: the files of other MachineConfigs decide what is generated. */
  readonly machineConfigs: Informer<MachineConfig>;
  readonly version: string;
  readonly clock: Clock;
  readonly recorder?: { record(event: PlannedEvent): void } | undefined;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
}

const fieldManager = "attune-machine-config";

/** Keeps the generated MachineConfigs of one kind, and the status of its objects. All of them are one decision. */
export function poolConfigController<T extends PoolConfig>(options: PoolConfigControllerOptions<T>): Controller {
  const { client, kind, objects, pools, machineConfigs, version, clock, recorder } = options;
  const all = (): string[] => ["all"];
  return new Controller({
    name: `generated-${kind.word}`,
    clock,
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(objects, all),
      source(pools, (event) => (event.type === "updated" && isSameSelection(event.before, event.object) ? [] : all())),
      source(machineConfigs, ({ object }) => (poolOfRendering(object) === undefined ? all() : [])),
    ],
    async reconcile(_, { signal, log }): Promise<ActResult | undefined> {
      const input = {
        pools: pools.list(),
        objects: objects.list(),
        machineConfigs: machineConfigs.list(),
        version,
        now: formatTime(clock.now()),
      };
      const { plan, metadata } = decideGenerated(kind, input);
      const observed = ({ kind: name, metadata: { name: key = "" } }: ObjectReference): KubeObject | undefined =>
        name === machineConfigKind.kind ? machineConfigs.get(key) : objects.get(key);
      const writeMetadata = async (when: MetadataChange["when"]): Promise<readonly string[]> => {
        const changes = metadata.filter((change) => change.when === when);
        return Promise.all(changes.map((change) => write(client, kind.kind, change, signal)));
      };
      // Whether written or not, an event of the object follows, with the state from which the rest is decided.
      if ((await writeMetadata("first")).length > 0) return undefined;
      const result = await act(plan, {
        client,
        kinds: (_apiVersion, name): KindRef => (name === machineConfigKind.kind ? machineConfigKind : kind.kind),
        observed,
        fieldManager,
        recorder,
        signal,
        log,
      });
      const isOutdated = (await writeMetadata("last")).includes("conflict");
      return isOutdated ? { ...result, requeue: true } : result;
    },
  });
}

/** Finalizers and annotations, if no client changed the object since it was read. */
async function write(
  client: Client,
  kind: KindRef,
  { name, resourceVersion, finalizers, annotations }: MetadataChange,
  signal: AbortSignal,
): Promise<"written" | "conflict"> {
  const patch = { metadata: { resourceVersion: resourceVersion ?? null, finalizers: [...finalizers], annotations } };
  try {
    await client.patch(kind, name, { type: "merge", patch }, { fieldManager, signal });
    return "written";
  } catch (error) {
    if (isNotFound(error)) return "written";
    if (isConflict(error)) return "conflict";
    throw error;
  }
}
