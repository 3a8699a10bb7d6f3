import type { MachineConfig } from "../../machine-config/api.ts";
import type { Digest } from "../../machine-config/content-hash.ts";
import { renderPool } from "../../machine-config/render-pool.ts";
import { poolOfRendering } from "../../machine-config/rendered-annotations.ts";

/** Which rendered configs have the contents that their names say. Caches keep them without contents. */
export class IntactRenderings {
  readonly #digest: Digest;
  readonly #intact = new WeakSet<MachineConfig>();

  constructor(digest: Digest) {
    this.#digest = digest;
  }

  /** For a cache. */
  project(config: MachineConfig): MachineConfig {
    const pool = poolOfRendering(config);
    const projected = { ...config, spec: {} };
    if (pool !== undefined && this.#nameOf(pool, config) === config.metadata.name) this.#intact.add(projected);
    return projected;
  }

  isIntact(projected: MachineConfig): boolean {
    return this.#intact.has(projected);
  }

  /** A rendered config is made of its contents alone: rendered again, it has the same name. */
  #nameOf(pool: string, config: MachineConfig): string | undefined {
    const of = { apiVersion: config.apiVersion, kind: "MachineConfigPool", metadata: { name: pool } };
    const again = renderPool({ pool: of, machineConfigs: [config], version: "", digest: this.#digest });
    return again.type === "rendered" ? again.config.metadata.name : undefined;
  }
}
