import type { KubeObject, ManagedFieldsEntry } from "../../object/meta.ts";
import { decodeOwners } from "../../patch/managed-entries.ts";
import { PatchError } from "../../patch/patch-error.ts";
import type { Attributes, Kind, Operation } from "../admission/admission.ts";
import { StatusError } from "../status-error.ts";
import type { RequestContext } from "./context.ts";

export interface Write {
  readonly operation: Operation;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  readonly dryRun: boolean;
  readonly options: () => object;
  /** The resource itself unless told. */
  readonly kind?: Kind;
  /** That of the request unless told. */
  readonly name?: string;
}

/** A write as admission sees it. */
export function attributesOf(context: RequestContext, write: Write): Attributes {
  const { resource, subresource, user, warnings, deadline = Infinity } = context;
  const { operation, object, old, dryRun, kind = resource, name = context.name } = write;
  let options: object | undefined;
  return {
    operation,
    resource,
    kind,
    subresource,
    namespace: resource.plural === "namespaces" && resource.group === "" ? name : context.namespace,
    name,
    object,
    old,
    // Few ask, and every write would pay.
    get options() {
      return (options ??= write.options());
    },
    dryRun,
    user,
    warnings,
    deadline,
    round: "first",
  };
}

/** Nothing to wait for unless a plug-in waits. The object that comes of it is that of the attributes. */
export function admit(context: RequestContext, attributes: Attributes): Promise<void> | undefined {
  const owners = attributes.object?.metadata.managedFields;
  const waiting = context.services.admission.admit(attributes);
  return waiting && admitted(context, attributes, waiting, owners);
}

async function admitted(
  context: RequestContext,
  attributes: Attributes,
  waiting: Promise<void>,
  owners: readonly ManagedFieldsEntry[] | undefined,
): Promise<void> {
  await waiting;
  refuseTheGone(context);
  restoreOwners(attributes, owners);
}

export function validate(context: RequestContext, attributes: Attributes): Promise<void> | undefined {
  return context.services.admission.validate(attributes)?.then(() => refuseTheGone(context));
}

/** Who has hung up was told nothing, and must not find it done. */
function refuseTheGone({ isGone }: RequestContext): void {
  if (isGone?.()) throw new StatusError(499, "", "the client went away");
}

/** Who owns which fields is no less true because a webhook could not write it down. */
function restoreOwners({ object, warnings }: Attributes, before: readonly ManagedFieldsEntry[] | undefined): void {
  if (!object || object.metadata.managedFields === before) return;
  try {
    decodeOwners(object.metadata.managedFields);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    object.metadata.managedFields = before && [...before];
    warnings.push(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${error.message.replace("failed to decode managed fields: ", "")}`,
    );
  }
}
