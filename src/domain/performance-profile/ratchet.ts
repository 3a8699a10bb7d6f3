import { equal, get } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { FieldFinding } from "../finding.ts";

/**
 * Which errors of a change are its own. A profile becomes wrong without being touched: nodes come and go, and so do other
 * profiles. Whoever then changes its labels, takes off a finalizer or mends one thing of two must not be kept from it.
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

/** What a path like `spec.hugepages.pages[0].size` or `metadata.annotations[a.io/b]` leads to. */
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
