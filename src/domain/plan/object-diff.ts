import { clone } from "../../language/object/json.ts";
import { lineDiff } from "../../language/object/line-diff.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { writeYaml } from "../../language/object/write-yaml.ts";
import { readable } from "./readable.ts";

/** What people write of an object, as a unified diff; empty where that stays the same. */
export function objectDiff(before: KubeObject | undefined, after: KubeObject | undefined): string {
  return lineDiff(written(before), written(after));
}

function written(object: KubeObject | undefined): string {
  if (!object) return "";
  const { metadata, status: _, ...rest } = readable(object);
  const { name, namespace, labels, annotations, finalizers } = clone(metadata);
  delete annotations?.["kubectl.kubernetes.io/last-applied-configuration"];
  const given = Object.entries({ name, namespace, labels, annotations, finalizers }).filter(
    ([, value]) => value !== undefined && Object.keys(value).length > 0,
  );
  return writeYaml({ ...rest, metadata: Object.fromEntries(given) });
}
