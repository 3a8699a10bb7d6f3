import { clone } from "../../../language/object/json.ts";
import { parseApiVersion, type KubeObject } from "../../../language/object/meta.ts";
import type { OtherVersions } from "../../../language/patch/other-versions.ts";
import { relabel } from "../conversion/webhook-converter.ts";
import type { Resource } from "../resource.ts";
import type { RequestContext } from "./context.ts";

/** Work has come to an object that must first be converted. */
class ToConvert extends Error {
  readonly object: KubeObject;
  readonly to: Resource;

  constructor(object: KubeObject, to: Resource) {
    super("an object must be converted first");
    this.object = object;
    this.to = to;
  }
}

/**
 * Does work that compares objects in several versions. Where a webhook has to be asked, the work is done again once it has
 * answered, until there is nothing left to ask: the work itself neither waits nor changes what it is given.
 */
export function acrossVersions<T>(
  { services, resource }: RequestContext,
  work: (versions: OtherVersions | undefined) => T,
): T | Promise<T> {
  const { versions } = resource;
  if (!versions || versions.all.size < 2) return work(undefined);
  const { views } = services;
  if (!versions.webhook) return work(othersOf(resource, versions.all, (object, to) => relabel(clone(object), to)));
  const known = new Map<string, KubeObject>();
  const lookUp = (object: KubeObject, to: Resource): KubeObject => {
    const found = known.get(keyOf(object, to));
    if (!found) throw new ToConvert(object, to);
    return found;
  };
  const attempt = (): T | ToConvert => {
    try {
      return work(othersOf(resource, versions.all, lookUp));
    } catch (error) {
      if (error instanceof ToConvert) return error;
      throw error;
    }
  };
  const first = attempt();
  return first instanceof ToConvert ? goOn(first) : first;

  async function goOn(pending: ToConvert): Promise<T> {
    for (let missing = pending; ;) {
      known.set(keyOf(missing.object, missing.to), await views.convert(missing.object, missing.to));
      const result = attempt();
      if (!(result instanceof ToConvert)) return result;
      missing = result;
    }
  }
}

function othersOf(
  { group }: Resource,
  all: ReadonlyMap<string, Resource>,
  convert: (object: KubeObject, to: Resource) => KubeObject,
): OtherVersions {
  const find = (apiVersion: string): Resource | undefined => {
    const parsed = parseApiVersion(apiVersion);
    return parsed.group === group ? all.get(parsed.version) : undefined;
  };
  return {
    schemaOf: (apiVersion) => find(apiVersion)?.schema,
    convert: (object, apiVersion) => {
      const to = find(apiVersion);
      if (!to) throw new Error(`convert an object to ${apiVersion}: there is no such version`);
      return object.apiVersion === apiVersion ? object : convert(object, to);
    },
  };
}

function keyOf(object: KubeObject, { version }: Resource): string {
  return `${version} ${JSON.stringify(object)}`;
}
