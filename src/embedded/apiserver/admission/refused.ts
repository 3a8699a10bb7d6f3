import { forbidden, type StatusError } from "../status-error.ts";
import type { Attributes } from "./admission.ts";

/** A plug-in's refusal. A name that is yet to be generated shows as what it begins with. */
export function refused({ resource, name, object }: Attributes, why: string): StatusError {
  const shown = name || object?.metadata.name || object?.metadata.generateName || "Unknown";
  return forbidden(resource.group, resource.plural, shown, why);
}
