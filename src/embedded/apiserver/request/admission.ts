import type { KubeObject, ManagedFieldsEntry } from "../../../language/object/meta.ts";
import { decodeOwners } from "../../../language/patch/managed-entries.ts";
import { PatchError } from "../../../language/patch/patch-error.ts";
import type { Attributes, Kind, Operation } from "../admission/admission.ts";
import type { User } from "../auth/user.ts";
import type { Resource } from "../resource.ts";
import { StatusError } from "../status-error.ts";
import { escalationCheck } from "../auth/rbac/escalation.ts";
import type { RequestContext } from "./context.ts";

export interface Write {
  readonly operation: Operation;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  readonly dryRun: boolean;
  readonly options: () => object;
  /** Default: the resource. */
  readonly kind?: Kind;
  /** Default: the request's. */
  readonly name?: string;
}

/** A write as admission sees it. */
export function attributesOf(context: RequestContext, write: Write): Attributes {
  return new WriteAttributes(context, write);
}

/** A class, because every write creates some, and an object literal with a getter takes ten times as long to create. */
class WriteAttributes implements Attributes {
  readonly operation: Operation;
  readonly resource: Resource;
  readonly kind: Kind;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  readonly dryRun: boolean;
  readonly user: User;
  readonly warnings: string[];
  readonly deadline: number;
  round: Attributes["round"] = "first";
  readonly #makeOptions: () => object;
  #options: object | undefined;

  constructor(context: RequestContext, write: Write) {
    const { resource } = context;
    this.operation = write.operation;
    this.resource = resource;
    this.kind = write.kind ?? resource;
    this.subresource = context.subresource;
    this.name = write.name ?? context.name;
    this.namespace = resource.plural === "namespaces" && resource.group === "" ? this.name : context.namespace;
    this.object = write.object;
    this.old = write.old;
    this.dryRun = write.dryRun;
    this.user = context.user;
    this.warnings = context.warnings;
    this.deadline = context.deadline ?? Infinity;
    this.#makeOptions = write.options;
  }

  /** Computed on demand: few plug-ins read it. */
  get options(): object {
    return (this.#options ??= this.#makeOptions());
  }
}

/** Returns a promise only if a plug-in waits. Afterwards `attributes.object` is the admitted object. */
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
  refuseIfClientGone(context);
  restoreOwners(attributes, owners);
}

export function validate(context: RequestContext, attributes: Attributes): Promise<void> | undefined {
  return context.services.admission.validate(attributes)?.then(() => refuseIfClientGone(context));
}

/** A client that closed the connection got no response: the write must not happen. */
function refuseIfClientGone({ isGone }: RequestContext): void {
  if (isGone?.()) throw new StatusError(499, "", "the client went away");
}

/** Restores managedFields that a webhook made unreadable. */
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

/** Roles and bindings may grant only rights that their writer holds. */
export function refuseEscalation(
  { resource, user, services }: RequestContext,
  object: KubeObject,
  old?: KubeObject,
): void {
  if (resource.group !== "rbac.authorization.k8s.io") return;
  const refusal = escalationCheck({ user, object, old, rbac: services.authorizer.rbac });
  if (refusal) throw refusal;
}
