/** Parameters of operations. kubectl checks those of PATCH for `dryRun` and `fieldValidation`. */
export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly description: string;
  readonly required?: true;
  readonly schema: { readonly type: "string" | "integer" | "boolean"; readonly uniqueItems: true };
}

function query(name: string, type: Parameter["schema"]["type"], description: string): Parameter {
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}

function inPath(name: string, description: string): Parameter {
  return { name, in: "path", description, required: true, schema: { type: "string", uniqueItems: true } };
}

const dryRun = query("dryRun", "string", "All: process the request, but store nothing.");
const fieldManager = query("fieldManager", "string", "The manager that owns the changed fields.");
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What to do with unknown and repeated fields: Ignore, Warn or Strict.",
);
const resourceVersion = query("resourceVersion", "string", "The version of the response, or the oldest allowed one.");
const force = query("force", "boolean", "Take fields from other managers. Only for apply.");

export const NAME = inPath("name", "The object's name.");
export const NAMESPACE = inPath("namespace", "The object's namespace.");
export const PRETTY = query("pretty", "string", "Indent the response for readability.");

export const READ: readonly Parameter[] = [resourceVersion];
export const WRITE: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const PATCH: readonly Parameter[] = [...WRITE, force];

export const LIST: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean", "Send bookmarks during a watch."),
  query("continue", "string", "The token of the previous page."),
  query("fieldSelector", "string", "Only objects whose fields match."),
  query("labelSelector", "string", "Only objects whose labels match."),
  query("limit", "integer", "At most this many objects per page."),
  resourceVersion,
  query("resourceVersionMatch", "string", "How resourceVersion is used: Exact or NotOlderThan."),
  query("sendInitialEvents", "boolean", "Begin a watch with existing objects, and mark their end with a bookmark."),
  query("timeoutSeconds", "integer", "End the request after this many seconds."),
  query("watch", "boolean", "Stream changes instead of listing."),
];

export const DELETE: readonly Parameter[] = [
  dryRun,
  query("gracePeriodSeconds", "integer", "Seconds until the object is deleted."),
  query("orphanDependents", "boolean", "Orphan dependents. Deprecated: use propagationPolicy."),
  query("propagationPolicy", "string", "What happens to dependents: Orphan, Background or Foreground."),
];

const notOfDeletion = new Set(["allowWatchBookmarks", "watch"]);

export const DELETE_COLLECTION: readonly Parameter[] = [
  ...DELETE,
  ...LIST.filter(({ name }) => !notOfDeletion.has(name)),
];

export const LOG: readonly Parameter[] = [
  query("container", "string", "The container. Optional for pods with one container."),
  query("follow", "boolean", "Follow the log."),
  query("limitBytes", "integer", "Return at most about this many bytes."),
  query("previous", "boolean", "The log of the previous container."),
  query("sinceSeconds", "integer", "Only lines of the last so many seconds."),
  query("sinceTime", "string", "Only lines since this time."),
  query("tailLines", "integer", "Only this many lines from the end."),
  query("timestamps", "boolean", "Prefix each line with its time."),
];

export const PROXIED = query("path", "string", "The path of the proxied request.");
export const REST_OF_PATH = inPath("path", "The path of the proxied request.");

/** The operations of one path by method, and their shared parameters. */
export type PathItem = Readonly<Record<string, unknown>>;
