import {
  apiVersion,
  type MachineConfig,
  type MachineConfigPool,
  type PoolConfiguration,
} from "../machine-config/api.ts";
import type { RenderProblem } from "../machine-config/culprit.ts";
import type { Rendering } from "../machine-config/render-pool.ts";

/** `renderPool` with what is the same for every pool. `current`: the rendered config that its nodes have. */
export type Render = (
  pool: MachineConfigPool,
  machineConfigs: readonly MachineConfig[],
  current: MachineConfig | undefined,
) => Rendering;

interface Last {
  readonly inputs: string;
  readonly current: string | undefined;
  readonly rendering: Rendering;
}

/** Renders a pool only when one of its inputs has changed. */
export class Renderings {
  readonly #render: Render;
  readonly #read: (name: string) => Promise<MachineConfig | undefined>;
  readonly #last = new Map<string, Last>();

  /** `read` gets a rendered config with its content. */
  constructor(render: Render, read: (name: string) => Promise<MachineConfig | undefined>) {
    this.#render = render;
    this.#read = read;
  }

  /** Undefined: the pool selects no config and never did, so that its nodes are left alone. */
  async of(pool: MachineConfigPool, configs: readonly MachineConfig[]): Promise<Rendering | undefined> {
    const { name = "", uid } = pool.metadata;
    const { configuration, osImageStream } = pool.spec ?? {};
    const current = configuration?.name;
    const sources = sourcesToRender(pool, configs);
    if (!sources) return undefined;
    const versions = configs.map(({ metadata }) => [metadata.name, metadata.uid, metadata.resourceVersion]);
    const inputs = JSON.stringify([uid, osImageStream ?? null, versions]);
    const last = this.#last.get(name);
    // What nodes cannot change to from one config may be possible from another.
    if (last?.inputs === inputs && (last.rendering.type === "rendered" || last.current === current))
      return last.rendering;
    const before = current ? await this.#read(current) : undefined;
    const rendering = this.#render(pool, sources, before);
    this.#last.set(name, { inputs, current, rendering });
    return rendering;
  }
}

/** What a pool is rendered of. Undefined: it selects no config and never did, so that its nodes are left alone. */
export function sourcesToRender(
  { spec }: MachineConfigPool,
  selected: readonly MachineConfig[],
): readonly MachineConfig[] | undefined {
  if (selected.length > 0) return selected;
  return spec?.configuration?.name ? [nothing] : undefined;
}

/** Where the last config of a pool was deleted: its nodes go back to what they were installed with. */
const nothing: MachineConfig = { apiVersion, kind: "MachineConfig", metadata: { name: "" } };

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
