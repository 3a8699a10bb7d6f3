import { clone, get, isObject, set } from "../../language/object/json.ts";
import { lineDiff } from "../../language/object/line-diff.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { writeYaml } from "../../language/object/write-yaml.ts";
import { lastAppliedAnnotation } from "../../language/patch/last-applied.ts";
import { filesOf, type IgnitionFile, unitsOf } from "../../language/ignition/config.ts";
import { contentsOf } from "../../language/ignition/file-contents.ts";

/** A unified diff of the fields that users write; empty if they stay the same. */
export function objectDiff(before: KubeObject | undefined, after: KubeObject | undefined): string {
  return lineDiff(written(before), written(after));
}

function written(object: KubeObject | undefined): string {
  if (!object) return "";
  const { metadata, status: _, ...rest } = readable(object);
  const { name, namespace, labels, annotations, finalizers } = clone(metadata);
  delete annotations?.[lastAppliedAnnotation];
  const given = Object.entries({ name, namespace, labels, annotations, finalizers }).filter(
    ([, value]) => value !== undefined && Object.keys(value).length > 0,
  );
  return writeYaml({ ...rest, metadata: Object.fromEntries(given) });
}

/** The object with the files of a MachineConfig decoded. */
export function readable(object: KubeObject): KubeObject {
  const spec = get(object, "spec");
  const config = get(spec, "config");
  if (object.kind !== "MachineConfig" || !isObject(spec) || !isObject(config)) return object;
  const { storage, systemd, ...others } = config;
  return {
    ...object,
    spec: {
      ...spec,
      config: {
        ...others,
        ...besides("storage", storage, "files"),
        ...besides("systemd", systemd, "units"),
        ...named("files", filesOf(config), ({ path }) => path, fileView),
        ...named(
          "units",
          unitsOf(config),
          ({ name }) => name,
          ({ name: _, ...unit }) => unit,
        ),
      },
    },
  };
}

function fileView(file: IgnitionFile): object {
  const text = contentsOf(file);
  const mode = file.mode === undefined ? {} : { mode: `0${file.mode.toString(8)}` };
  return { ...mode, ...(text === undefined ? { contents: file.contents } : { text }) };
}

/** The fields of a part that are not shown elsewhere. */
function besides(name: string, part: unknown, shown: string): object {
  if (!isObject(part)) return {};
  const { [shown]: _, ...rest } = part;
  return Object.keys(rest).length > 0 ? { [name]: rest } : {};
}

/** By name, so that the diff does not depend on their order. */
function named<T>(part: string, items: readonly T[], nameOf: (item: T) => string, view: (item: T) => object): object {
  const views: Record<string, unknown> = {};
  for (const item of items) set(views, nameOf(item), view(item));
  return items.length > 0 ? { [part]: views } : {};
}
