import { writeJson } from "../../../language/object/exact-json.ts";
import { clone } from "../../../language/object/json.ts";
import { parseApiVersion, type KubeObject } from "../../../language/object/meta.ts";
import type { OtherVersions } from "../../../language/patch/managed-fields.ts";
import { relabel } from "../conversion/webhook-converter.ts";
import type { Resource } from "../resource.ts";
import type { RequestContext } from "./context.ts";

/** Thrown by work that needs an object converted first. */
class ConversionNeeded extends Error {
  readonly object: KubeObject;
  readonly to: Resource;

  constructor(object: KubeObject, to: Resource) {
    super("an object must be converted first");
    this.object = object;
    this.to = to;
  }
}

/**
 * Runs `work`, which compares objects in several versions. Each time it needs a conversion by webhook, it is run again
 * once the webhook has answered. The work itself is therefore synchronous and must not change its inputs.
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
    if (!found) throw new ConversionNeeded(object, to);
    return found;
  };
  const attempt = (): T | ConversionNeeded => {
    try {
      return work(othersOf(resource, versions.all, lookUp));
    } catch (error) {
      if (error instanceof ConversionNeeded) return error;
      throw error;
    }
  };
  const first = attempt();
  return first instanceof ConversionNeeded ? convertAndRetry(first) : first;

  async function convertAndRetry(pending: ConversionNeeded): Promise<T> {
    for (let missing = pending; ;) {
      known.set(keyOf(missing.object, missing.to), await views.convert(missing.object, missing.to));
      const result = attempt();
      if (!(result instanceof ConversionNeeded)) return result;
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
  return `${version} ${writeJson(object)}`;
}
