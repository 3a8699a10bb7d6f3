import { get, isObject, type JsonObject, set } from "../../../language/object/json.ts";
import { approximately, isQuantity, parseQuantity } from "../../../language/object/quantity.ts";
import { collectErrors } from "../../../language/schema/collect-errors.ts";
import {
  type FieldError,
  invalid,
  notSupported,
  required,
  tooMany,
  typeInvalid,
} from "../../../language/schema/field-error.ts";
import { child, index } from "../../../language/schema/path.ts";
import type { ContainerRuntimeConfig } from "../api.ts";
import type { Reading } from "../pool-configs/settings.ts";

const root = "spec.containerRuntimeConfig";
const logLevels = ["error", "fatal", "panic", "warn", "info", "debug", "trace"];
const runtimes = ["crun", "runc"];
const fewestPids = 20;
const smallestLog = 8192;

/** One field: reports what is wrong with its value. */
type Check = (value: unknown, path: string) => readonly FieldError[];

const choice =
  (supported: readonly string[]): Check =>
  (value, path) =>
    supported.includes(value as string) ? [] : [notSupported(path, value, supported)];

const size =
  (isUsable: (bytes: number) => boolean, detail: string): Check =>
  (value, path) => {
    const bytes = bytesOf(value);
    if (bytes === undefined) return [invalid(path, value, "must be an amount of bytes such as 50Mi")];
    return isUsable(bytes) ? [] : [invalid(path, value, detail)];
  };

const stores =
  (most: number): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return [typeInvalid(path, value, "must be a list of paths")];
    if (value.length > most) return [tooMany(path, value.length, most)];
    return value.flatMap((store, i) => storeFaults(get(store, "path"), child(index(path, i), "path")));
  };

const checks: Readonly<Record<string, Check>> = {
  pidsLimit: (value, path) =>
    value === 0 || (Number.isInteger(value) && Number(value) >= fewestPids)
      ? []
      : [invalid(path, value, `must be 0 (no limit) or at least ${fewestPids}`)],
  logLevel: choice(logLevels),
  // A negative size means no limit, and 0 the runtime's own.
  logSizeMax: size((bytes) => bytes <= 0 || bytes > smallestLog, `must be more than ${smallestLog} bytes`),
  overlaySize: size((bytes) => bytes >= 0, "must not be negative"),
  defaultRuntime: choice(runtimes),
  additionalLayerStores: stores(5),
  additionalImageStores: stores(10),
  additionalArtifactStores: stores(10),
};

/** What a ContainerRuntimeConfig sets on the nodes of its pools, or everything that is wrong with it. */
export function readRuntimeConfig({ spec }: ContainerRuntimeConfig): Reading {
  const given: unknown = spec?.containerRuntimeConfig ?? {};
  if (!isObject(given)) return { settings: {}, problems: [typeInvalid(root, given, "must be an object")], ignored: [] };
  const fields: JsonObject = {};
  const ignored: string[] = [];
  const problems = collectErrors(() =>
    Object.entries(given).flatMap(([name, value]) => {
      const check = get(checks, name) as Check | undefined;
      if (!check) ignored.push(`${child(root, name)}: there is no such field`);
      // An empty text is what Go clients write for no choice.
      if (!check || value === null || value === "") return [];
      set(fields, name, value);
      return check(value, child(root, name));
    }),
  );
  return { settings: { containerRuntimeConfig: fields }, problems, ignored };
}

/** A quantity as a number of bytes. */
export function bytesOf(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isQuantity(text) ? approximately(parseQuantity(text)) : undefined;
}

function storeFaults(value: unknown, path: string): readonly FieldError[] {
  if (value === undefined || value === "") return [required(path)];
  if (typeof value !== "string" || !/^\/[a-zA-Z0-9/._-]+$/.test(value))
    return [invalid(path, value, "must be an absolute path of letters, digits, '/', '.', '_' and '-'")];
  return value.includes("//") ? [invalid(path, value, "must not contain //")] : [];
}
