import { equal, get, isObject, type JsonObject } from "../../../language/object/json.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { fieldsIn } from "./kubelet-on-host.ts";

/** A file of the host that the config adds something to. */
export interface SharedFile {
  /** Before anything was added. */
  readonly original: string;
  /** As it was written. */
  readonly ours: string;
  /** As another program has left it since. */
  readonly present: string;
}

/**
 * What a shared file would be without the config, after another program has written it: `kubeadm upgrade` writes the kubelet's anew.
 * The config owns its fields and tables there, and not the file. Undefined: it is no such file.
 */
export function originalAfterEdit({ original, ours, present }: SharedFile): string | undefined {
  if (present === ours || present === original) return original;
  // Tables of containerd are added at the end.
  const added = original !== "" && ours.startsWith(original) ? ours.slice(original.length) : "";
  if (added !== "") return present.replace(added, () => "");
  if (get(fieldsIn(ours), "kind") !== kubeletKind || get(fieldsIn(present), "kind") !== kubeletKind) return undefined;
  const found = fieldsIn(present);
  const without = withoutOurs(fieldsIn(original), fieldsIn(ours), found);
  return equal(without, found) ? present : writeYaml(without);
}

const kubeletKind = "KubeletConfiguration";

/** Fields that still have the value of the config get their original one; all others are the other program's. */
function withoutOurs(original: JsonObject, ours: JsonObject, present: JsonObject): JsonObject {
  const fields = Object.entries(present).flatMap(([name, value]): [string, unknown][] => {
    const [before, set] = [get(original, name), get(ours, name)];
    if (equal(set, value)) return before === undefined ? [] : [[name, before]];
    if (isObject(set) && isObject(value)) return [[name, withoutOurs(isObject(before) ? before : {}, set, value)]];
    return [[name, value]];
  });
  return Object.fromEntries(fields) as JsonObject;
}
