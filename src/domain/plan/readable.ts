import { filesOf, type IgnitionFile, unitsOf } from "../../language/ignition/config.ts";
import { contentsOf } from "../../language/ignition/file-contents.ts";
import { get, isObject, set } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";

/** An object as people can read it: the files that a MachineConfig carries as texts, not as what they are encoded to. */
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

/** What a part says beyond what is shown otherwise. */
function besides(name: string, part: unknown, shown: string): object {
  if (!isObject(part)) return {};
  const { [shown]: _, ...rest } = part;
  return Object.keys(rest).length > 0 ? { [name]: rest } : {};
}

/** By name, so that what stays is found again whatever the order. */
function named<T>(part: string, items: readonly T[], nameOf: (item: T) => string, view: (item: T) => object): object {
  const views: Record<string, unknown> = {};
  for (const item of items) set(views, nameOf(item), view(item));
  return items.length > 0 ? { [part]: views } : {};
}
