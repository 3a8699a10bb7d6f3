import { clone, get, isObject, set } from "../../language/object/json.ts";
import { lineDiff } from "../../language/object/line-diff.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { writeYaml } from "../../language/object/write-yaml.ts";
import { lastAppliedAnnotation } from "../../language/patch/last-applied.ts";
import { filesOf } from "../../language/ignition/config.ts";
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

/** The object with the files of a MachineConfig decoded. No field is left out: a change of any is one that users must see. */
export function readable(object: KubeObject): KubeObject {
  const spec = get(object, "spec");
  const config = get(spec, "config");
  if (object.kind !== "MachineConfig" || !isObject(spec) || !isObject(config)) return object;
  const { storage, systemd, ...others } = config;
  const files = named(storage, "files", "path");
  const units = named(systemd, "units", "name");
  return {
    ...object,
    spec: {
      ...spec,
      config: {
        ...others,
        ...part("storage", files.rest),
        ...part("systemd", units.rest),
        ...part(
          "files",
          Object.fromEntries(Object.entries(files.byName).map(([path, file]) => [path, fileView(path, file)])),
        ),
        ...part("units", units.byName),
      },
    },
  };
}

interface Named {
  /** So that the diff does not depend on their order. */
  readonly byName: Readonly<Record<string, object>>;
  /** Everything else of the section, with entries that have no name, or that of another. */
  readonly rest: unknown;
}

/** The entries of a list of a section, by the field that identifies them. */
function named(section: unknown, list: string, key: string): Named {
  if (!isObject(section)) return { byName: {}, rest: section };
  const { [list]: entries, ...others } = section;
  if (!Array.isArray(entries)) return { byName: {}, rest: section };
  const byName: Record<string, object> = {};
  const unnamed = entries.filter((entry: unknown) => {
    const name = get(entry, key);
    if (!isObject(entry) || typeof name !== "string" || Object.hasOwn(byName, name)) return true;
    const { [key]: _, ...fields } = entry;
    set(byName, name, fields);
    return false;
  });
  return { byName, rest: unnamed.length > 0 ? { ...others, [list]: unnamed } : others };
}

function part(name: string, value: unknown): object {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return {};
  return { [name]: value };
}

/** A file with its mode as `chmod` takes it, and its text where it has one. */
function fileView(path: string, file: object): object {
  const { mode, contents, ...others } = file as Readonly<Record<string, unknown>>;
  const [read] = filesOf({ storage: { files: [{ ...file, path }] } });
  const text = read && contentsOf(read);
  return {
    ...others,
    ...(mode === undefined ? {} : { mode: typeof mode === "number" ? `0${mode.toString(8)}` : mode }),
    ...(text === undefined ? part("contents", contents) : { text, ...part("contents", withoutText(contents)) }),
  };
}

/** What `text` does not say. */
function withoutText(contents: unknown): unknown {
  if (!isObject(contents)) return contents;
  const { source: _, compression: _compression, ...others } = contents;
  return others;
}
