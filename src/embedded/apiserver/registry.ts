import { apiVersionOf } from "../../language/object/meta.ts";
import type { Resource } from "./resource.ts";
import { qualified } from "./status-error.ts";

/** Every resource that is served now: the built-in ones, and those that CustomResourceDefinitions add and remove. */
export class Registry {
  readonly #builtin: readonly Resource[];
  readonly #custom = new Map<string, readonly Resource[]>();
  #byPath = new Map<string, Resource>();
  #all: readonly Resource[] = [];
  #generation = 0;

  constructor(builtin: readonly Resource[]) {
    this.#builtin = builtin;
    this.#index();
  }

  /** Grows with every change; what was computed from the resources is valid while it stays the same. */
  get generation(): number {
    return this.#generation;
  }

  get builtin(): readonly Resource[] {
    return this.#builtin;
  }

  all(): readonly Resource[] {
    return this.#all;
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  hasGroup(group: string): boolean {
    return this.#all.some((resource) => resource.group === group);
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.#all.some((resource) => resource.group === group && resource.version === version);
  }

  setCustom(definition: string, resources: readonly Resource[]): void {
    if (resources.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, resources);
    this.#index();
  }

  #index(): void {
    this.#all = [...this.#builtin, ...[...this.#custom.values()].flat()];
    this.#byPath = new Map(this.#all.map((r) => [`${r.group}/${r.version}/${r.plural}`, r]));
    this.#generation++;
  }
}

/** The collection of the store that holds a resource's objects, the same for every version. */
export function collectionOf(resource: Pick<Resource, "group" | "plural" | "storedAs">): string {
  const { plural, group } = resource.storedAs ?? resource;
  return qualified(plural, group);
}

export function apiVersion(resource: Pick<Resource, "group" | "version">): string {
  return apiVersionOf(resource.group, resource.version);
}
