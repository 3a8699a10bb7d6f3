import type { KubeObject } from "../../../language/object/meta.ts";
import type { User } from "../auth/user.ts";
import type { Resource } from "../resource.ts";
import { forbidden, type StatusError } from "../status-error.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What an object is, and how one is read. */
export type Kind = Pick<Resource, "group" | "version" | "kind" | "schema" | "origin"> & {
  readonly strategy: Pick<Resource["strategy"], "defaults">;
};

/** One write on its way in, as admission sees it. */
export interface Attributes {
  readonly operation: Operation;
  /** In the version the client speaks. */
  readonly resource: Resource;
  /** Of `object` and `old`: the resource itself, but for subresources that speak another (Scale, Eviction). */
  readonly kind: Kind;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Of the request; a namespace lies in itself. */
  readonly namespace: string;
  /** Empty as long as it is to be generated, and where a collection is deleted. */
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
  /** When the answer is due, in milliseconds of the clock. */
  readonly deadline: number;
  /** Set by a plug-in that changed the object where others want to see what came of it: all are asked once more. */
  round: "first" | "again-wanted" | "again";
}

/** One opinion on writes. Refuses by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whether opinions on such writes come from elsewhere, so that the object may change while they are waited for. */
  mayWait?(write: Pick<Attributes, "operation" | "resource" | "subresource">): boolean;
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

  mayWait(write: Pick<Attributes, "operation" | "resource" | "subresource">): boolean {
    return this.#plugins.some((plugin) => plugin.mayWait?.(write));
  }

  /** Whether anybody has an opinion. */
  handles(attributes: Attributes): boolean {
    return this.#plugins.some((plugin) => plugin.handles(attributes));
  }

  admit(attributes: Attributes): Promise<void> | undefined {
    const waiting = this.#admitOnce(attributes);
    if (waiting) return waiting.then(() => this.#admitAgain(attributes));
    return this.#admitAgain(attributes);
  }

  validate(attributes: Attributes): Promise<void> | undefined {
    return inTurn(this.#plugins, attributes, (plugin) => plugin.validate?.(attributes));
  }

  #admitOnce(attributes: Attributes): Promise<void> | undefined {
    return inTurn(this.#plugins, attributes, (plugin) => plugin.admit?.(attributes));
  }

  /** Once, and never a third time: two plug-ins that undo each other's changes must not go on forever. */
  #admitAgain(attributes: Attributes): Promise<void> | undefined {
    if (attributes.round !== "again-wanted") return undefined;
    attributes.round = "again";
    return this.#admitOnce(attributes);
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

/** A plug-in's refusal. A name that is yet to be generated shows as what it begins with. */
export function refused({ resource, name, object }: Attributes, why: string): StatusError {
  const shown = name || object?.metadata.name || object?.metadata.generateName || "Unknown";
  return forbidden(resource.group, resource.plural, shown, why);
}
