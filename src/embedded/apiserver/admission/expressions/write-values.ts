import { fromJson } from "../../../../language/schema/cel/json-value.ts";
import type { Value } from "../../../../language/schema/cel/value.ts";
import type { Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";
import { objectValue } from "./object-value.ts";

/** `request`. Texts that are empty are not there: `has(request.subResource)` is how an expression asks. */
export function requestValue(attributes: Attributes, shownAs: Resource): Value {
  const { subresource, name, namespace, operation, dryRun, options, resource, user } = attributes;
  return objectValue({
    kind: kindValue(attributes, shownAs),
    resource: resourceValue(shownAs),
    subResource: subresource || undefined,
    requestKind: kindValue(attributes, resource),
    requestResource: resourceValue(resource),
    requestSubResource: subresource || undefined,
    name: name || undefined,
    namespace: namespace || undefined,
    operation,
    userInfo: objectValue({
      username: user.name || undefined,
      uid: user.uid || undefined,
      groups: user.groups.length > 0 ? user.groups : undefined,
      extra: Object.keys(user.extra ?? {}).length > 0 ? fromJson(user.extra) : undefined,
    }),
    dryRun,
    options: fromJson(options),
  });
}

/** Of a subresource that speaks another kind, there is but one version. */
function kindValue({ kind: spoken, resource }: Attributes, shownAs: Resource): Value {
  const { group, version, kind } = spoken.kind === resource.kind ? shownAs : spoken;
  return objectValue({ group, version, kind });
}

function resourceValue({ group, version, plural }: Resource): Value {
  return objectValue({ group, version, resource: plural });
}
