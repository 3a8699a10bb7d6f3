import { isTrue } from "../../../language/object/condition.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { resourcesOf } from "../custom/custom-resource.ts";
import { asDefinition } from "../custom/definition.ts";
import { establish } from "../custom/naming.ts";
import { CLEANUP_FINALIZER, terminating } from "../custom/termination.ts";
import { collectionOf } from "../registry.ts";
import { timestamp, type Services } from "../request/context.ts";
import { updateManagedFields } from "../../../language/patch/managed-fields.ts";
import { draftOf } from "../request/draft.ts";
import { ignoredFor } from "../request/ignored-fields.ts";
import type { Resource } from "../resource.ts";
import { forbidden, qualified } from "../status-error.ts";
import { deleteInBackground, writeInBackground } from "./server-writes.ts";

/** The parts of a definition that its served resources were built from. */
interface Served {
  readonly spec: unknown;
  readonly names: unknown;
  readonly closing: boolean;
}

/**
 * Serves CustomResourceDefinitions: accepts their names, registers their resources, and deletes the objects of those that
 * are deleted. Runs in the same turn as the commit, so a definition is served before its creation is answered.
 */
export class Definitions {
  readonly #services: Services;
  readonly #resource: Resource;
  readonly #log: Log;
  readonly #served = new Map<string, Served>();
  /** Deleted definitions whose objects still exist. */
  readonly #emptying = new Map<string, () => void>();

  constructor(services: Services, definitionResource: Resource, log: Log) {
    this.#services = services;
    this.#resource = definitionResource;
    this.#log = log;
  }

  start(): () => void {
    this.#reconcile();
    const stop = this.#services.store.watch(collectionOf(this.#resource), () => this.#reconcile());
    return () => {
      stop();
      for (const stopEmptying of this.#emptying.values()) stopEmptying();
    };
  }

  #reconcile(): void {
    const all = this.#services.reader.list(collectionOf(this.#resource));
    const names = new Set(all.map(nameOf));
    for (const name of this.#served.keys()) if (!names.has(name)) this.#withdraw(name);
    // Names accepted here are taken for the definitions after it.
    for (const [index, definition] of all.entries()) all[index] = this.#settle(definition, all);
  }

  /** Reconciles one definition; its failure does not affect the others. */
  #settle(definition: KubeObject, all: readonly KubeObject[]): KubeObject {
    try {
      return definition.metadata.deletionTimestamp ? this.#terminate(definition) : this.#establish(definition, all);
    } catch (error) {
      this.#log.error({ error, definition: nameOf(definition) }, "serve custom resource definition failed");
      return definition;
    }
  }

  #establish(definition: KubeObject, all: readonly KubeObject[]): KubeObject {
    const { registry, clock } = this.#services;
    const status = establish(definition, all, registry.builtin, clock.now());
    const accepted = { ...definition, status } as KubeObject;
    this.#serve(accepted);
    if (!equal(status, definition.status)) this.#write(accepted);
    return accepted;
  }

  #serve(definition: KubeObject): void {
    const { spec, status, metadata } = asDefinition(definition);
    if (!isTrue(status?.conditions ?? [], "Established")) return;
    const name = nameOf(definition);
    const wanted = { spec, names: status?.acceptedNames, closing: metadata.deletionTimestamp !== undefined };
    if (equal(this.#served.get(name), wanted)) return;
    this.#served.set(name, wanted);
    const resources = resourcesOf(definition);
    this.#services.registry.setCustom(name, wanted.closing ? resources.map(closing) : resources);
  }

  #withdraw(name: string): void {
    this.#emptying.get(name)?.();
    this.#emptying.delete(name);
    this.#served.delete(name);
    this.#services.registry.setCustom(name, []);
  }

  /** Deletes the objects before the definition: without it no client could reach them. */
  #terminate(definition: KubeObject): KubeObject {
    if (!definition.metadata.finalizers?.includes(CLEANUP_FINALIZER)) return definition;
    const { store, clock } = this.#services;
    const { spec } = asDefinition(definition);
    this.#serve(definition);
    const objects = qualified(spec.names?.plural ?? "", spec.group ?? "");
    if (store.count(objects) === 0) {
      const released = terminating(definition, "done", clock.now());
      this.#write(released);
      return released;
    }
    // Objects must be deleted even if no version is served any more.
    const [resource] = resourcesOf({ ...definition, spec: allServed(spec) });
    if (resource)
      for (const entry of store.list(objects)) deleteInBackground(this.#services, this.#log, resource, entry);
    const name = nameOf(definition);
    if (!this.#emptying.has(name))
      this.#emptying.set(
        name,
        store.watch(objects, () => this.#reconcile()),
      );
    const emptying = terminating(definition, "running", clock.now());
    if (!equal(emptying.status, definition.status)) this.#write(emptying);
    return emptying;
  }

  #write(definition: KubeObject): void {
    const { store } = this.#services;
    const collection = collectionOf(this.#resource);
    const key = nameOf(definition);
    const live = store.head(collection, key);
    // A newer write is uncommitted: its commit triggers another reconcile.
    if (!live || String(live.revision) !== definition.metadata.resourceVersion) return;
    const copy = { ...definition, metadata: { ...definition.metadata } };
    copy.metadata.managedFields = updateManagedFields({
      before: this.#services.views.object(live, this.#resource),
      after: copy,
      schema: this.#resource.schema,
      manager: "kube-apiserver",
      apiVersion: definition.apiVersion,
      subresource: "status",
      time: timestamp(this.#services.clock),
      ignored: ignoredFor(this.#resource, "status"),
    });
    const draft = draftOf(copy, this.#resource);
    const released = definition.metadata.deletionTimestamp && (definition.metadata.finalizers?.length ?? 0) === 0;
    writeInBackground(this.#log, () =>
      released ? store.remove(collection, key, live, draft) : store.put(collection, key, live, draft),
    );
  }
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}

function allServed<S extends { versions?: { served?: boolean }[] | null }>(spec: S): S {
  return { ...spec, versions: (spec.versions ?? []).map((version) => ({ ...version, served: true })) };
}

/** The kind of a deleted definition: its objects can be read, changed and deleted, but not created. */
function closing(resource: Resource): Resource {
  const { group, plural, strategy } = resource;
  const admitCreate = ({ metadata }: KubeObject): void => {
    const why = "create not allowed while custom resource definition is terminating";
    throw forbidden(group, plural, metadata.name ?? "", why);
  };
  return {
    ...resource,
    discoveryVerbs: ["delete", "deletecollection", "get", "list", "watch"],
    strategy: { ...strategy, admitCreate },
  };
}
