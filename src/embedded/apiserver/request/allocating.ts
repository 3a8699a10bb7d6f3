import type { KubeObject } from "../../../language/object/meta.ts";
import { collectErrors } from "../../../language/schema/collect-errors.ts";
import { invalidObject } from "../status-error.ts";
import type { RequestContext } from "./context.ts";

/**
 * Runs a write that allocates addresses or ports. The reservation lasts from the choice until the store has the object,
 * so that a concurrent write chooses others; a refused write or a dry run holds nothing afterwards.
 */
export async function allocating<T>(
  context: RequestContext,
  object: KubeObject,
  old: KubeObject | undefined,
  write: () => Promise<T>,
): Promise<T> {
  const { resource, services, subresource } = context;
  const { allocate } = resource.strategy;
  if (!allocate || subresource !== "") return write();
  const reservation = services.pools.reserve();
  try {
    const errors = collectErrors(() => allocate(object, old, reservation));
    if (errors.length > 0) throw invalidObject(resource.group, resource.kind, object.metadata.name ?? "", errors);
    return await write();
  } finally {
    reservation.end();
  }
}
