/** Query and path parameters of operations. kubectl looks for `dryRun` and `fieldValidation` among those of PATCH. */
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

const dryRun = query("dryRun", "string", "All: go through every step but store nothing.");
const fieldManager = query("fieldManager", "string", "Who makes the change, for the ownership of fields.");
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What to do with unknown and repeated fields: Ignore, Warn or Strict.",
);
const resourceVersion = query("resourceVersion", "string", "The version the answer must be of, or not be older than.");
const force = query("force", "boolean", "Take fields from other managers. Only for apply.");

export const NAME = inPath("name", "The object's name.");
export const NAMESPACE = inPath("namespace", "The object's namespace.");
export const PRETTY = query("pretty", "string", "Indent the answer for people.");

export const READ: readonly Parameter[] = [resourceVersion];
export const WRITE: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const PATCH: readonly Parameter[] = [...WRITE, force];

export const LIST: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean", "Send bookmarks during a watch."),
  query("continue", "string", "The token of the page before."),
  query("fieldSelector", "string", "Only objects whose fields match."),
  query("labelSelector", "string", "Only objects whose labels match."),
  query("limit", "integer", "At most this many objects in a page."),
  resourceVersion,
  query("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan."),
  query("sendInitialEvents", "boolean", "Begin a watch with what exists, and mark its end by a bookmark."),
  query("timeoutSeconds", "integer", "End the call after this long."),
  query("watch", "boolean", "Stream changes instead of listing."),
];

export const DELETE: readonly Parameter[] = [
  dryRun,
  query("gracePeriodSeconds", "integer", "How long the object may take to end."),
  query("orphanDependents", "boolean", "Leave dependents behind. Use propagationPolicy."),
  query("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground."),
];

const notOfDeletion = new Set(["allowWatchBookmarks", "watch"]);

export const DELETE_COLLECTION: readonly Parameter[] = [
  ...DELETE,
  ...LIST.filter(({ name }) => !notOfDeletion.has(name)),
];

export const LOG: readonly Parameter[] = [
  query("container", "string", "Whose log. May be left out where there is but one."),
  query("follow", "boolean", "Go on with what is written from now on."),
  query("limitBytes", "integer", "End after about this many bytes."),
  query("previous", "boolean", "The log of the container that ran before."),
  query("sinceSeconds", "integer", "Only what was written in the last so many seconds."),
  query("sinceTime", "string", "Only what was written since."),
  query("tailLines", "integer", "Begin this many lines before the end."),
  query("timestamps", "boolean", "Begin each line with its time."),
];

export const PROXIED = query("path", "string", "The path to ask for at the other end.");
export const REST_OF_PATH = inPath("path", "The path to ask for at the other end.");

/** The operations of one path by their methods, and the parameters they share. */
export type PathItem = Readonly<Record<string, unknown>>;
