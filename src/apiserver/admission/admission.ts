import type { KubeObject } from "../../object/meta.ts";
import type { User } from "../auth/user.ts";
import type { Resource } from "../resource.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** One write on its way in, as admission sees it. */
export interface Attributes {
  readonly operation: Operation;
  /** In the version the client speaks. */
  readonly resource: Resource;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What would be written; of a deletion there is none. `admit` changes it in place or puts another in its place. */
  object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as the client sent them, with apiVersion and kind. */
  readonly options: object;
  readonly dryRun: boolean;
  readonly user: User;
  /** Shown to the client, one Warning header each. */
  readonly warnings: string[];
}

/** One opinion on writes. Refuses by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Cheap: asked of every write. What handles nothing costs nothing, and the write stays synchronous. */
  handles(attributes: Attributes): boolean;
  /** May change the object. Before validation. */
  admit?(attributes: Attributes): void | Promise<void>;
  /** Sees the object as it will be stored. After validation. */
  validate?(attributes: Attributes): void | Promise<void>;
}

/** All opinions, in order. */
export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  admit(attributes: Attributes): Promise<void> | undefined {
    return inTurn(this.#plugins, attributes, (plugin) => plugin.admit?.(attributes));
  }

  validate(attributes: Attributes): Promise<void> | undefined {
    return inTurn(this.#plugins, attributes, (plugin) => plugin.validate?.(attributes));
  }
}

/** Nothing to wait for unless a plug-in waits: a write without webhooks never leaves its turn of the event loop. */
function inTurn(
  plugins: readonly AdmissionPlugin[],
  attributes: Attributes,
  ask: (plugin: AdmissionPlugin) => void | Promise<void>,
  from = 0,
): Promise<void> | undefined {
  for (let i = from; i < plugins.length; i++) {
    const plugin = plugins[i] as AdmissionPlugin;
    if (!plugin.handles(attributes)) continue;
    const waiting = ask(plugin);
    if (waiting) return waiting.then(() => inTurn(plugins, attributes, ask, i + 1));
  }
  return undefined;
}
