import { equal, get } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { FieldFinding } from "../finding.ts";

/**
 * The errors that a change introduces. A profile may become invalid without a change, as nodes and other profiles come and
 * go. Clients must still be able to change its labels, remove a finalizer or fix one error of two.
 */
export function newErrors({
  before,
  after,
}: {
  readonly before: { readonly profile: KubeObject; readonly findings: readonly FieldFinding[] };
  readonly after: { readonly profile: KubeObject; readonly findings: readonly FieldFinding[] };
}): readonly FieldFinding[] {
  return after.findings.filter(
    (found) =>
      found.severity === "error" &&
      !(
        before.findings.some((one) => equal(one, found)) &&
        equal(valueAt(before.profile, found.field), valueAt(after.profile, found.field))
      ),
  );
}

/** The value at a path like `spec.hugepages.pages[0].size` or `metadata.annotations[a.io/b]`. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const name of namesIn(path)) {
    value = Array.isArray(value) ? (value as unknown[])[Number(name)] : get(value, name);
    if (value === undefined) return undefined;
  }
  return value;
}

function namesIn(path: string): string[] {
  return path.split(/\[([^\]]*)\]/).flatMap((part, i) => (i % 2 === 1 ? [part] : part.split(".").filter(Boolean)));
}
