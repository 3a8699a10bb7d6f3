import { randomUUID } from "node:crypto";
import { collectErrors } from "../../../language/schema/collect-errors.ts";
import type { KubeObject, ObjectMeta } from "../../../language/object/meta.ts";
import { updateManagedFields } from "../../../language/patch/managed-fields.ts";
import type { ParsedBody } from "../body/body.ts";
import { apiVersion, collectionOf } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { alreadyExists, badRequest, invalidObject, notFound, StatusError } from "../status-error.ts";
import { StaleWriteError } from "../storage/object-store.ts";
import type { Entry } from "../storage/store.ts";
import { admit, attributesOf, refuseEscalation, validate, type Write } from "./admission.ts";
import { allocating } from "./allocating.ts";
import { collectionFor, keyFor, timestamp, type Answer, type RequestContext } from "./context.ts";
import { incoming } from "./incoming.ts";
import { ignoredFor } from "./ignored-fields.ts";
import { finalizerAdvice, metadataFaults } from "./metadata-faults.ts";
import { refuseOverQuota } from "./quota.ts";
import { writeOptions, type WriteOptions } from "./options.ts";
import { draftOf, dryRunAnswer } from "./draft.ts";

export async function create(context: RequestContext, body: ParsedBody): Promise<Answer> {
  const options = writeOptions(context.query, "CreateOptions", context.userAgent);
  const object = incoming(context.resource, body, options, context.warnings);
  delete object.metadata.managedFields;
  return insert(context, object, options, "update");
}

/**
 * Stores a new object. `managed`: whether its fields become the manager's as by an update, or server-side apply has
 * already computed managedFields.
 */
export async function insert(
  context: RequestContext,
  object: KubeObject,
  options: WriteOptions,
  managed: "update" | "apply",
): Promise<Answer> {
  const { resource, services } = context;
  const { strategy } = resource;
  placeInNamespace(context, object);
  refuseVersion(object);
  admitToNamespace(context, object);
  wipe(object.metadata);
  strategy.defaults?.(object);
  if (managed === "update") {
    object.metadata.managedFields = updateManagedFields({
      before: undefined,
      after: object,
      schema: resource.schema,
      manager: options.fieldManager,
      apiVersion: apiVersion(resource),
      subresource: "",
      time: timestamp(services.clock),
      ignored: ignoredFor(resource, ""),
    });
  }
  // Fields that the server sets from here on have no field manager.
  const asked = attributesOf(context, creation(object, options));
  const admitting = admit(context, asked);
  if (admitting) await admitting;
  const admitted = asked.object as KubeObject;
  return allocating(context, admitted, undefined, () => store(context, admitted, options));
}

async function store(context: RequestContext, object: KubeObject, options: WriteOptions): Promise<Answer> {
  const { resource, services } = context;
  const { strategy } = resource;
  const { metadata } = object;
  placeInNamespace(context, object);
  refuseVersion(object);
  wipe(metadata);
  metadata.uid = randomUUID();
  metadata.creationTimestamp = timestamp(services.clock);
  if (strategy.hasGeneration) metadata.generation = 1;
  refuseEscalation(context, object);
  strategy.prepareForCreate?.(object, services.clock.now(), context.user);
  context.warnings.push(...finalizerAdvice(metadata, resource));

  // If a generated name is taken, another one is generated.
  for (let attempt = 1; ; attempt++) {
    const generated = !metadata.name && metadata.generateName;
    if (generated) {
      metadata.name = services.generateName(generated);
      // Some defaults depend on the name.
      strategy.defaults?.(object);
    }
    const errors = collectErrors(() => [
      ...metadataFaults(metadata, resource),
      ...(strategy.validate?.(object) ?? []),
      ...(strategy.validateCreate?.(object) ?? []),
    ]);
    const { group, kind } = resource.storedAs ?? resource;
    if (errors.length > 0) throw invalidObject(group, kind, metadata.name ?? "", errors);
    if (attempt === 1) context.warnings.push(...(strategy.warnings?.(object) ?? []));
    const validating = validate(context, attributesOf(context, creation(object, options)));
    if (validating) await validating;
    const storing = services.views.toStorage(object, resource);
    const stored = storing instanceof Promise ? await storing : storing;
    // Checked again: the namespace may have been deleted while the request waited.
    admitToNamespace(context, object);
    refuseOverQuota(context, object);
    const key = keyFor(context, metadata.name ?? "");
    if (!services.store.head(collectionFor(context), key)) {
      if (options.dryRun) return dryRunAnswer(object, stored, key, 201);
      const change = await services.store.put(collectionFor(context), key, undefined, draftOf(stored, resource));
      services.views.adopt(change.after as Entry, resource);
      return { type: "entry", code: 201, entry: change.after as Entry };
    }
    // A PUT or apply that found no object now finds one and retries. If admission chose the name, a retry would not help.
    if (context.name !== "" && context.name === metadata.name) throw new StaleWriteError(collectionFor(context), key);
    if (!generated) throw alreadyExists(resource.group, resource.plural, metadata.name ?? "");
    if (attempt >= 8) throw noFreeName(resource, metadata.name ?? "");
    delete metadata.name;
  }
}

function creation(object: KubeObject, options: WriteOptions): Write {
  return {
    operation: "CREATE",
    object,
    old: undefined,
    name: object.metadata.name ?? "",
    dryRun: options.dryRun,
    options: () => options.as("CreateOptions"),
  };
}

function refuseVersion({ metadata }: KubeObject): void {
  if (metadata.resourceVersion)
    throw new StatusError(500, "", "resourceVersion should not be set on objects to be created");
}

/** Removes what only the server decides about a new object. */
function wipe(metadata: ObjectMeta): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.generation;
  delete (metadata as { selfLink?: string }).selfLink;
}

function noFreeName({ group, plural }: Resource, name: string): StatusError {
  const { code, reason, message, details } = alreadyExists(group, plural, name);
  const why = `${message}, the server was not able to generate a unique name for the object`;
  return new StatusError(code, reason, why, { ...details, retryAfterSeconds: 1 });
}

/** The object's namespace, if it has one, must be that of the URL. */
export function placeInNamespace(context: RequestContext, object: KubeObject): void {
  const { resource, namespace } = context;
  if (!resource.namespaced) {
    delete object.metadata.namespace;
    return;
  }
  const given = object.metadata.namespace || namespace;
  if (given !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  object.metadata.namespace = namespace;
}

/** Refuses creation in a namespace that does not exist or is being deleted. */
function admitToNamespace(context: RequestContext, object: KubeObject): void {
  const { resource, namespace, services } = context;
  if (!resource.namespaced) return;
  const found = services.reader.head("namespaces", namespace);
  if (!found) throw notFound("", "namespaces", namespace);
  if (!found.metadata.deletionTimestamp) return;
  const name = object.metadata.name ?? object.metadata.generateName ?? "";
  throw new StatusError(
    403,
    "Forbidden",
    `${collectionOf(resource)} ${JSON.stringify(name)} is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      name,
      ...(resource.group ? { group: resource.group } : {}),
      kind: resource.plural,
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    },
  );
}
