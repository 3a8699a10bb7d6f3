import {
  apiVersion,
  type MachineConfig,
  type MachineConfigPool,
  type PoolConfiguration,
} from "../machine-config/api.ts";
import type { RenderProblem } from "../machine-config/culprit.ts";
import type { Rendering } from "../machine-config/render-pool.ts";

/** `renderPool` with what is the same for every pool. */
export type Render = (pool: MachineConfigPool, machineConfigs: readonly MachineConfig[]) => Rendering;

/** Renders a pool only when one of its inputs has changed. */
export class Renderings {
  readonly #render: Render;
  readonly #last = new Map<string, { readonly inputs: string; readonly rendering: Rendering }>();

  constructor(render: Render) {
    this.#render = render;
  }

  /** Undefined: the pool selects no config and never did, so that its nodes are left alone. */
  of(pool: MachineConfigPool, configs: readonly MachineConfig[]): Rendering | undefined {
    const { name = "", uid } = pool.metadata;
    if (configs.length === 0 && !pool.spec?.configuration?.name) return undefined;
    const inputs = JSON.stringify([
      uid,
      configs.map(({ metadata }) => [metadata.name, metadata.uid, metadata.resourceVersion]),
    ]);
    const last = this.#last.get(name);
    if (last?.inputs === inputs) return last.rendering;
    const rendering = this.#render(pool, configs.length > 0 ? configs : [nothing]);
    this.#last.set(name, { inputs, rendering });
    return rendering;
  }
}

/** Where the last config of a pool was deleted: its nodes go back to what they were installed with. */
const nothing: MachineConfig = { apiVersion, kind: "MachineConfig", metadata: { name: "" } };

/** The pool that a rendered config belongs to; undefined for a config of a user. */
export function poolOfRendering({ metadata }: Pick<MachineConfig, "metadata">): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  const isOurs = owner?.kind === "MachineConfigPool" && owner.apiVersion === apiVersion;
  return isOurs && metadata.name?.startsWith(`rendered-${owner.name}-`) ? owner.name : undefined;
}

/** What the pool's `spec.configuration` says of a rendering. */
export function configurationOf({
  config,
  sources,
}: Extract<Rendering, { type: "rendered" }>): PoolConfiguration & { name: string } {
  return { name: config.metadata.name ?? "", source: sources.filter(({ name }) => name !== "") };
}

/** `MachineConfig 50-a spec.config.storage.files[0].path: …` */
export function describeProblem({ object, field, message }: RenderProblem): string {
  return `${object.kind} ${object.name} ${field}: ${message}`;
}
