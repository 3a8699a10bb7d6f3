import { isTrue } from "../../../language/object/condition.ts";
import { definitionName, type KubeObject, parseApiVersion } from "../../../language/object/meta.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Informer } from "../cache.ts";
import type { Client, KindRef } from "../client.ts";
import { kinds } from "../kinds.ts";
import { informerOfOne } from "./informer.ts";
import type { ReflectorHooks } from "./reflector.ts";

interface Definition extends KubeObject {
  /** Served versions of an established definition. */
  readonly versions: readonly string[];
}

/** Whether the cluster serves a custom kind. Watches its CustomResourceDefinition, so that discovery need not be polled. */
export class ServedKind {
  /** Synced when `isServed` is known. */
  readonly informer: Informer<Definition>;
  readonly #version: string;

  constructor(
    client: Client,
    { apiVersion, plural }: KindRef,
    options: { readonly clock: Clock; readonly hooks?: ReflectorHooks | undefined },
  ) {
    this.#version = parseApiVersion(apiVersion).version;
    this.informer = informerOfOne(client, kinds.customResourceDefinition, {
      ...options,
      name: definitionName({ apiVersion, plural }),
      project: ({ apiVersion: of, kind, metadata: { name }, spec, status }): Definition => ({
        apiVersion: of,
        kind,
        metadata: { name },
        versions: isTrue(status?.conditions, "Established")
          ? spec.versions.filter(({ served }) => served).map((version) => version.name)
          : [],
      }),
    });
  }

  get isServed(): boolean {
    return this.informer.list().some(({ versions }) => versions.includes(this.#version));
  }
}
