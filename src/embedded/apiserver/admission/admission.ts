import type { KubeObject } from "../../../language/object/meta.ts";
import type { User } from "../auth/user.ts";
import type { Resource } from "../resource.ts";
import { forbidden, type StatusError } from "../status-error.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What is needed to decode an object. */
export type Kind = Pick<Resource, "group" | "version" | "kind" | "schema" | "origin"> & {
  readonly strategy: Pick<Resource["strategy"], "defaults">;
};

/** One write as admission sees it. */
export interface Attributes {
  readonly operation: Operation;
  /** In the client's version. */
  readonly resource: Resource;
  /** The kind of `object` and `old`: the resource's, or that of the subresource (Scale, Eviction). */
  readonly kind: Kind;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** The request's; for a Namespace, its own name. */
  readonly namespace: string;
  /** Empty before it is generated, and for deletecollection. */
  readonly name: string;
  /** The object to be written; absent for a deletion. `admit` may change or replace it. */
  object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as the client sent them, with apiVersion and kind. */
  readonly options: object;
  readonly dryRun: boolean;
  readonly user: User;
  /** Sent to the client, one Warning header each. */
  readonly warnings: string[];
  /** When the response is due, in milliseconds of the clock. */
  readonly deadline: number;
  /** `again-wanted`: a webhook changed the object, so all plug-ins admit it once more (reinvocation). */
  round: "first" | "again-wanted" | "again";
}

/** The object, its spec, a list of containers, a container. Plug-ins replace what is deeper: it is compared without a copy. */
export const levelsChangedInPlace = 4;

/** An admission plug-in. Refuses a write by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whether the plug-in may call a webhook for such writes, so that the stored object may change meanwhile. */
  mayWait?(write: Pick<Attributes, "operation" | "resource" | "subresource">): boolean;
  /** Called for every write, so it must be cheap. A write that no plug-in handles stays synchronous. */
  handles(attributes: Attributes): boolean;
  /** May change the object, in place as deep as `levelsChangedInPlace`. Runs before validation. */
  admit?(attributes: Attributes): void | Promise<void>;
  /** Sees the object as it will be stored. Runs after validation. */
  validate?(attributes: Attributes): void | Promise<void>;
}

/** Runs all plug-ins in order. */
export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  mayWait(write: Pick<Attributes, "operation" | "resource" | "subresource">): boolean {
    return this.#plugins.some((plugin) => plugin.mayWait?.(write));
  }

  /** Whether any plug-in handles the write. */
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

  /** At most one more round: two plug-ins that undo each other's changes must not loop forever. */
  #admitAgain(attributes: Attributes): Promise<void> | undefined {
    if (attributes.round !== "again-wanted") return undefined;
    attributes.round = "again";
    return this.#admitOnce(attributes);
  }
}

/** Returns a promise only if a plug-in waits: a write without webhooks stays in one turn of the event loop. */
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

/** A plug-in's refusal. Before the name is generated it shows generateName. */
export function refused({ resource, name, object }: Attributes, why: string): StatusError {
  const shown = name || object?.metadata.name || object?.metadata.generateName || "Unknown";
  return forbidden(resource.group, resource.plural, shown, why);
}
