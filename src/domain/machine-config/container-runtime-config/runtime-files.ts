import type { IgnitionFile } from "../../../language/ignition/config.ts";
import { textFile } from "../../../language/ignition/file-contents.ts";
import { get, isObject, type JsonObject, text } from "../../../language/object/json.ts";
import type { Settings } from "../pool-configs/settings.ts";
import { bytesOf } from "./read-runtime-config.ts";

const mode = 0o644;
const storagePath = "/etc/containers/storage.conf";

/** What merged ContainerRuntimeConfigs put on nodes with CRI-O: one drop-in for each field, and its storage. */
export function runtimeFiles(settings: Settings): readonly IgnitionFile[] {
  const given = get(settings, "containerRuntimeConfig");
  const fields = isObject(given) ? given : {};
  const storage = storageText(fields);
  return [
    ...(storage === undefined ? [] : [textFile(storagePath, mode, storage)]),
    ...dropIns.flatMap(([name, key, valueOf]) => {
      const value = get(fields, name);
      const shown = value === undefined ? undefined : valueOf(value);
      if (shown === undefined) return [];
      return [textFile(dropIn(name), mode, `[crio.runtime]\n${key} = ${shown}\n`)];
    }),
  ];
}

/** Every JSON text and list of texts is one of TOML. */
const quoted = (value: unknown): string => JSON.stringify(value);
const paths = (stores: unknown, suffix = ""): string[] =>
  Array.isArray(stores) ? stores.map((store) => `${text(get(store, "path"))}${suffix}`) : [];
const none = (list: readonly string[]): string | undefined => (list.length > 0 ? quoted(list) : undefined);

/** The field, its name in the runtime's configuration, and its value there. Undefined: the runtime's own. */
const dropIns: readonly [name: string, key: string, valueOf: (value: unknown) => string | undefined][] = [
  ["logLevel", "log_level", quoted],
  ["pidsLimit", "pids_limit", quoted],
  ["logSizeMax", "log_size_max", (value) => (bytesOf(value) === 0 ? undefined : quoted(bytesOf(value)))],
  ["defaultRuntime", "default_runtime", quoted],
  ["additionalArtifactStores", "additional_artifact_stores", (stores) => none(paths(stores))],
];

const dropIn = (name: string): string => `/etc/crio/crio.conf.d/01-ctrcfg-${name}`;

/** Files that no other container runtime reads. */
export const crioDropIns: readonly string[] = dropIns.map(([name]) => dropIn(name));

/** The nodes' storage configuration with the given fields; undefined if none of them is set. */
function storageText(fields: JsonObject): string | undefined {
  const size = get(fields, "overlaySize");
  const layers = none(paths(get(fields, "additionalLayerStores"), ":ref"));
  const images = none(paths(get(fields, "additionalImageStores")));
  const hasSize = size !== undefined && bytesOf(size) !== 0;
  if (!hasSize && !layers && !images) return undefined;
  return [
    "[storage]",
    'driver = "overlay"',
    'runroot = "/run/containers/storage"',
    'graphroot = "/var/lib/containers/storage"',
    "",
    "[storage.options]",
    ...(hasSize ? [`size = ${quoted(`${size as string | number}`)}`] : []),
    ...(images ? [`additionalimagestores = ${images}`] : []),
    ...(layers ? [`additionallayerstores = ${layers}`] : []),
    "",
    "[storage.options.overlay]",
    'skip_mount_home = "true"',
    "",
    "[storage.options.pull_options]",
    'enable_partial_images = "false"',
    'use_hard_links = "false"',
    'ostree_repos = ""',
    "",
  ].join("\n");
}
