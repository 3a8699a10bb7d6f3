import { byteLength } from "../../../language/object/byte-length.ts";
import { isObject, text as textOf, withoutNulls } from "../../../language/object/json.ts";
import type { KubeObject, ObjectMeta } from "../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../language/object/names.ts";
import { splitDocuments } from "../../../language/object/split-documents.ts";
import { validateAnnotations, validateLabels } from "../../../language/object/validate-meta.ts";
import { readYaml, YamlError } from "../../../language/object/yaml.ts";
import { collectErrors } from "../../../language/schema/collect-errors.ts";
import { type FieldError, forbidden, invalid, required } from "../../../language/schema/field-error.ts";
import { pruneUnknown } from "../../../language/schema/prune.ts";
import { validateSchema } from "../../../language/schema/validate.ts";
import { describeKinds, type ManifestKind, metadataSchema } from "./manifest-kinds.ts";

/** A ConfigMap, as caches hold it. */
export interface ConfigMap extends KubeObject {
  data?: Record<string, string> | undefined;
  immutable?: boolean | undefined;
}

/** Where a manifest stands. */
export interface Place {
  readonly configMap: string;
  readonly key: string;
  /** Counted from one. */
  readonly document: number;
}

export interface Manifest {
  readonly place: Place;
  readonly object: KubeObject;
}

/** Why a document, or a whole ConfigMap, cannot be used. */
export interface ManifestProblem extends Partial<Place> {
  readonly configMap: string;
  /** Kind and name, as far as they can be read. */
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** JSON path of the field. */
  readonly field?: string | undefined;
  readonly message: string;
}

export interface ReadManifests {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly ManifestProblem[];
}

/** An API server stores no more in a ConfigMap. */
export const mostBytes = 1024 * 1024;
const limits = { bytes: mostBytes, documents: 1000, tokens: 150_000, characters: 3 * 1024 * 1024 } as const;

/** More than a condition can show. */
const errorLimit = { errors: 10, characters: 4096 } as const;

/** Objects of caches are never changed: one stands for one version of a ConfigMap, which is read once. */
const readOnes = new WeakMap<ConfigMap, Map<string, ReadManifests>>();
const kindNames = new WeakMap<readonly ManifestKind[], string>();

/**
 * Every manifest under the first of the keys that a ConfigMap has. One that is wrong in any way is a problem with its place,
 * and keeps no other from being read.
 */
export function readManifests(
  configMap: ConfigMap,
  keys: readonly string[],
  kinds: readonly ManifestKind[],
): ReadManifests {
  if (configMap.metadata.resourceVersion === undefined) return readAnew(configMap, keys, kinds);
  const names = kindNames.get(kinds) ?? kinds.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).join();
  kindNames.set(kinds, names);
  const known = readOnes.get(configMap) ?? new Map<string, ReadManifests>();
  readOnes.set(configMap, known);
  const way = `${keys.join()} ${names}`;
  const read = known.get(way) ?? readAnew(configMap, keys, kinds);
  known.set(way, read);
  return read;
}

function readAnew(configMap: ConfigMap, keys: readonly string[], kinds: readonly ManifestKind[]): ReadManifests {
  const name = configMap.metadata.name ?? "";
  const data = configMap.data ?? {};
  const key = keys.find((one) => Object.hasOwn(data, one));
  if (key === undefined) return onlyProblem({ configMap: name, message: withoutKey(keys) });
  const text = data[key] ?? "";
  if (byteLength(text) > limits.bytes)
    return onlyProblem({ configMap: name, key, message: `has more than ${limits.bytes} bytes` });
  const documents = splitDocuments(text.replace(/^\uFEFF/, ""));
  if (documents.length === 0) return onlyProblem({ configMap: name, key, message: "has no manifest" });
  if (documents.length > limits.documents)
    return onlyProblem({ configMap: name, key, message: `has more than ${limits.documents} manifests` });
  const manifests: Manifest[] = [];
  const problems: ManifestProblem[] = [];
  for (const [index, document] of documents.entries()) {
    const place = { configMap: name, key, document: index + 1 };
    const read = readDocument(document.text, kinds);
    if (read.type === "object") manifests.push({ place, object: read.object });
    else problems.push(...read.problems.map((problem) => ({ ...place, ...problem })));
  }
  return { manifests, problems };
}

/** Without a key, kubectl takes the name of the file for it. */
function withoutKey(keys: readonly string[]): string {
  return `has no key ${keys.join(", ")}: with kubectl, --from-file=${keys[0]}=FILE gives it`;
}

function onlyProblem(problem: ManifestProblem): ReadManifests {
  return { manifests: [], problems: [problem] };
}

type Fault = Pick<ManifestProblem, "kind" | "name" | "field" | "message">;
type ReadDocument =
  | { readonly type: "object"; readonly object: KubeObject }
  | { readonly type: "problems"; readonly problems: readonly Fault[] };

function readDocument(text: string, kinds: readonly ManifestKind[]): ReadDocument {
  const parsed = parse(text);
  if (typeof parsed === "string") return problem({ message: parsed });
  const { value } = parsed;
  if (!isObject(value)) return problem({ message: "is not an object" });
  const { apiVersion, kind } = value;
  const of = { kind: textOf(kind) || undefined, name: nameIn(value) };
  if (!of.kind) return problem({ ...of, field: "kind", message: "Required value" });
  if (!textOf(apiVersion)) return problem({ ...of, field: "apiVersion", message: "Required value" });
  const known = kinds.find((one) => one.apiVersion === apiVersion && one.kind === kind);
  if (!known) {
    const message = `${textOf(kind)} of ${textOf(apiVersion)} is not supported here: use ${describeKinds(kinds)}`;
    return problem({ ...of, message });
  }
  const given = withoutNulls(value) as KubeObject;
  const faults = collectErrors(() => faultsOf(given, known.schema), errorLimit);
  if (faults.length > 0)
    return { type: "problems", problems: faults.map(({ field, message }) => ({ ...of, field, message })) };
  // A status is never read from a manifest.
  const { status: _, ...own } = given;
  const object: KubeObject = { ...own, metadata: ownMetadata(given.metadata) };
  return { type: "object", object: known.convert?.(object) ?? object };
}

function problem(fault: Fault): ReadDocument {
  return { type: "problems", problems: [fault] };
}

/** The value, or why it cannot be read. */
function parse(text: string): { readonly value: unknown } | string {
  // A reader of one document would drop what follows.
  if (/^\.\.\.(\s[^\n]*)?\n[^]*^[^\S\n]*[^\s#]/m.test(text)) return "text follows the end of the document (...)";
  const repeated: string[] = [];
  try {
    const value = readYaml(text, limits, repeated);
    return repeated.length > 0 ? `is not YAML: ${repeated.slice(0, 3).join(", ")}` : { value };
  } catch (error) {
    if (error instanceof YamlError) return `is not YAML: ${error.message}`;
    throw error;
  }
}

function nameIn(value: Record<string, unknown>): string | undefined {
  const { metadata } = value;
  return (isObject(metadata) && textOf(metadata["name"])) || undefined;
}

function faultsOf(object: KubeObject, schema: ManifestKind["schema"]): FieldError[] {
  const { metadata } = object;
  const shape = [...validateSchema(object, schema), ...validateSchema(metadata ?? {}, metadataSchema, "metadata")];
  if (shape.length > 0) return shape;
  const unknown = [
    ...pruneUnknown(object, schema, { root: true }),
    ...pruneUnknown(metadata, metadataSchema).map((field) => `metadata.${field}`),
  ];
  return [...unknown.map((field) => forbidden(field, "unknown field")), ...metadataFaults(metadata ?? {})];
}

function metadataFaults({ name = "", labels = {}, annotations = {} }: ObjectMeta): FieldError[] {
  const errors: FieldError[] =
    name === ""
      ? [required("metadata.name")]
      : dnsSubdomain(name).map((reason) => invalid("metadata.name", name, reason));
  validateLabels(labels, "metadata.labels", errors);
  validateAnnotations(annotations, errors);
  return errors;
}

/** A manifest may come from another cluster: what identifies an object there means nothing here. */
function ownMetadata({ name, namespace, labels, annotations }: ObjectMeta): ObjectMeta {
  return {
    name,
    ...(namespace ? { namespace } : {}),
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
    ...(annotations && Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
}

/** `ConfigMap a, document 2, Tuned x: spec.recommend[0].priority: Invalid value: …` */
export function formatProblem({ configMap, document, kind, name, field, message }: ManifestProblem): string {
  // About the NodePool itself.
  if (configMap === "") return message;
  const place = [`ConfigMap ${configMap}`];
  if (document !== undefined) place.push(`document ${document}`);
  if (kind !== undefined) place.push([kind, name].filter((part) => part !== undefined).join(" "));
  return `${place.join(", ")}: ${field === undefined ? "" : `${field}: `}${message}`;
}
