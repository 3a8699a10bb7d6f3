import type { KubeObject } from "../../object/meta.ts";
import { resourcesOf } from "../custom/custom-resource.ts";
import { asDefinition } from "../custom/definition.ts";
import { establish } from "../custom/naming.ts";
import { CLEANUP_FINALIZER, terminating } from "../custom/termination.ts";
import { isTrue } from "../../object/condition.ts";
import { draftOf } from "../request/draft.ts";
import { type Log, noLog } from "../../runtime/log.ts";
import { inBackground } from "./in-background.ts";
import type { Services } from "../request/context.ts";
import type { Resource } from "../resource.ts";
import { equal } from "../../object/json.ts";
import { qualified } from "../status-error.ts";

const collection = "customresourcedefinitions.apiextensions.k8s.io";

/**
 * Serves what definitions define: accepts their names, registers their resources, and empties and releases those that are
 * deleted. Runs in the same turn as the commit, so a definition is served by the time its creation is answered.
 */
export class Definitions {
  readonly #services: Services;
  readonly #resource: Resource;
  readonly #served = new Map<string, { spec: unknown; names: unknown }>();

  readonly #log: Log;

  constructor(services: Services, definitionResource: Resource, log: Log = noLog) {
    this.#services = services;
    this.#log = log;
    this.#resource = definitionResource;
  }

  start(): () => void {
    this.#reconcile();
    return this.#services.store.watch(collection, () => this.#reconcile());
  }

  #reconcile(): void {
    const { reader, registry, clock } = this.#services;
    const all = reader.list(collection);
    const names = new Set(all.map(({ metadata }) => metadata.name));
    for (const name of this.#served.keys()) if (!names.has(name)) this.#serve(name, undefined);
    for (const definition of all) {
      if (definition.metadata.deletionTimestamp) {
        this.#terminate(definition);
        continue;
      }
      const status = establish(definition, all, registry.builtin, clock.now());
      const accepted = { ...definition, status } as KubeObject;
      if (isTrue(status.conditions ?? [], "Established")) this.#serve(definition.metadata.name ?? "", accepted);
      if (!equal(status, definition.status)) this.#write(accepted);
    }
  }

  #serve(name: string, definition: KubeObject | undefined): void {
    const { registry } = this.#services;
    if (!definition) {
      this.#served.delete(name);
      return registry.setCustom(name, []);
    }
    const { spec, status } = asDefinition(definition);
    const served = this.#served.get(name);
    if (served && equal(served.spec, spec) && equal(served.names, status?.acceptedNames)) return;
    this.#served.set(name, { spec, names: status?.acceptedNames });
    registry.setCustom(name, resourcesOf(definition));
  }

  /** Objects first, then the definition: otherwise they would lie in the store, out of everyone's reach. */
  #terminate(definition: KubeObject): void {
    if (!definition.metadata.finalizers?.includes(CLEANUP_FINALIZER)) return;
    const { store, clock, registry } = this.#services;
    const { spec } = asDefinition(definition);
    const resource = registry
      .all()
      .find((r) => r.group === spec.group && r.plural === spec.names?.plural && r.origin === "custom");
    const objects = qualified(spec.names?.plural ?? "", spec.group ?? "");
    for (const entry of store.list(objects)) {
      if (!resource || store.head(objects, entry.key) !== entry) continue;
      const object = this.#services.views.object(entry, resource);
      if ((object.metadata.finalizers?.length ?? 0) > 0) continue;
      inBackground(this.#log, () =>
        store.remove(objects, entry.key, entry, draftOf(object, resource)).then(() => this.#reconcile()),
      );
    }
    if (store.count(objects) === 0) this.#write(terminating(definition, "done", clock.now()));
  }

  #write(definition: KubeObject): void {
    const { store } = this.#services;
    const key = definition.metadata.name ?? "";
    const live = store.head(collection, key);
    // A newer write is on its way: its commit brings us here again.
    if (!live || String(live.revision) !== definition.metadata.resourceVersion) return;
    const copy = { ...definition, metadata: { ...definition.metadata } };
    const draft = draftOf(copy, this.#resource);
    const released = definition.metadata.deletionTimestamp && (definition.metadata.finalizers?.length ?? 0) === 0;
    if (released) inBackground(this.#log, () => store.remove(collection, key, live, draft));
    else inBackground(this.#log, () => store.put(collection, key, live, draft));
  }
}
