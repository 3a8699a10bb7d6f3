import { equal } from "../object/json.ts";
import type { KubeObject } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { boundedClone } from "./bounded-clone.ts";
import { compareObjects } from "./compare-objects.ts";
import { printPath } from "./field/field-path.ts";
import {
  difference,
  EMPTY,
  equalSets,
  intersection,
  isEmpty,
  paths,
  recursiveDifference,
  union,
} from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { fieldsOf } from "./field/fields-of.ts";
import { assertFitsType } from "./fits-type.ts";
import { fieldsOfLastApplied, updateLastApplied } from "./last-applied.ts";
import { compareTexts, decodeOwners, encodeOwners, identityOf } from "./managed-entries.ts";
import type { Owner, Owners } from "./managed-entries.ts";
import {
  comparer,
  disown,
  inKnownVersions,
  NEVER_OWNED,
  recordWrite,
  withoutManagedFields,
  zeroObject,
  type CompareIn,
  type OtherVersions,
} from "./managed-fields.ts";
import { mergeObjects } from "./merge-objects.ts";
import { PatchError } from "./patch-error.ts";
import { withoutDropped } from "./without-dropped.ts";

export interface Application {
  /** The object as it is; absent when applying creates it. */
  live: KubeObject | undefined;
  config: KubeObject;
  schema: Schema;
  manager: string;
  force: boolean;
  apiVersion: string;
  /** `status`, `scale`, …; empty for the object itself. */
  subresource: string;
  /** RFC 3339, in whole seconds. */
  time: string;
  /** Fields that this endpoint does not write, and so no manager comes to own through it. */
  ignored?: FieldSet | undefined;
  /** Only for kinds with several versions. */
  versions?: OtherVersions | undefined;
}

export interface ApplyConflict {
  manager: string;
  /** What follows the quoted name: ` using v1`, ` with subresource "status"`. Empty for an applier. */
  detail: string;
  /** `.spec.template.spec.containers[name="one"].image` */
  field: string;
}

export type ApplyResult = { type: "applied"; object: KubeObject } | { type: "conflict"; conflicts: ApplyConflict[] };

/**
 * Server-side apply: the manager owns exactly the fields of its configuration. Fields that it owned and no longer applies
 * are removed unless another manager owns them; a change of a field that another manager owns is a conflict unless forced.
 */
export function applyConfiguration(application: Application): ApplyResult {
  const { config, schema, force } = application;
  if ((config.metadata.managedFields ?? undefined) !== undefined) {
    throw new PatchError("malformed", "metadata.managedFields must be nil");
  }
  assertFitsType(config, schema);
  const live = application.live === undefined ? undefined : withoutManagedFields(application.live);
  const merge = mergeIntoLive(application, live, ownersBefore(application, live));
  const conflicts = force ? [] : remainingConflicts(application, live, merge.conflicts);
  if (conflicts.length > 0) return { type: "conflict", conflicts: conflicts.flatMap(describe) };

  const disputed = new Map(merge.conflicts.map(({ identity, fields }) => [identity, fields]));
  const lost = ({ apiVersion }: Owner, identity: string): FieldSet =>
    union(disputed.get(identity) ?? EMPTY, merge.compareIn(apiVersion).removed);
  const owners = disown(merge.owners, lost, merge.identity);
  const mine = owners.get(merge.identity);
  if (mine !== undefined && isEmpty(mine.fields)) owners.delete(merge.identity);
  const object = merge.object;
  if (application.manager === "kubectl") updateLastApplied(object, config);
  const managedFields = encodeOwners(owners);
  if (managedFields !== undefined) object.metadata.managedFields = managedFields;
  return { type: "applied", object };
}

interface Merge {
  object: KubeObject;
  owners: Owners;
  /** The identity of the manager that applies. */
  identity: string;
  conflicts: Dispute[];
  compareIn: CompareIn;
}

interface Dispute {
  identity: string;
  owner: Owner;
  fields: FieldSet;
}

const nothingChanged: CompareIn = () => ({ added: EMPTY, modified: EMPTY, removed: EMPTY });

function mergeIntoLive(application: Application, live: KubeObject | undefined, owners: Owners): Merge {
  const { config, schema, ignored, versions } = application;
  const all = fieldsOf(config, schema);
  const fields = ignored === undefined ? all : recursiveDifference(all, ignored);
  const applier: Owner = {
    manager: application.manager === "" ? "unknown" : application.manager,
    operation: "Apply",
    apiVersion: application.apiVersion,
    subresource: application.subresource,
    time: application.time,
    fields: difference(fields, NEVER_OWNED),
  };
  const identity = identityOf(applier);
  if (live === undefined) {
    owners.set(identity, applier);
    return { object: boundedClone(config), owners, identity, conflicts: [], compareIn: nothingChanged };
  }
  const last = owners.get(identity);
  const merged = mergeObjects(live, config, schema) as KubeObject;
  // To find what to remove, the applier counts as owner of all its fields, including those that are never owned.
  owners.set(identity, { ...applier, fields });
  const { object, compared } = withoutDropped(merged, { owners, last, now: { ...applier, fields }, schema, versions });
  if (equal(live, compared)) {
    // The object did not change, so the time of the entry does not either; the entry of a new applier has no time.
    const isSame = last?.apiVersion === applier.apiVersion && equalSets(last.fields, applier.fields);
    owners.set(identity, isSame ? last : { ...applier, time: last?.time });
    return { object, owners, identity, conflicts: [], compareIn: nothingChanged };
  }
  owners.set(identity, applier);
  const comparison = compareObjects(live, compared, schema, ignored);
  const compareIn = comparer(application, live, compared, comparison);
  const conflicts: Dispute[] = [];
  for (const [other, owner] of owners) {
    if (other === identity) continue;
    const { added, modified } = compareIn(owner.apiVersion);
    const disputed = intersection(owner.fields, union(added, modified));
    if (!isEmpty(disputed)) conflicts.push({ identity: other, owner, fields: disputed });
  }
  conflicts.sort((a, b) => compareTexts(a.identity, b.identity));
  return { object, owners, identity, conflicts, compareIn };
}

/** An object without managed fields gets, on its first apply, the owner `before-first-apply` for all its fields. */
function ownersBefore(application: Application, live: KubeObject | undefined): Owners {
  const owners = inKnownVersions(decodeOwners(application.live?.metadata.managedFields), application.versions);
  if (owners.size > 0 || live === undefined) return owners;
  const { schema, ignored } = application;
  const comparison = compareObjects(zeroObject(schema), live, schema, ignored);
  return recordWrite(owners, comparison, { ...application, manager: "before-first-apply" });
}

/** kubectl takes over, without conflict, what its own client-side apply wrote before. */
function remainingConflicts(application: Application, live: KubeObject | undefined, conflicts: Dispute[]): Dispute[] {
  if (application.manager !== "kubectl" || conflicts.length === 0 || live === undefined) return conflicts;
  const taken = fieldsOfLastApplied(live, application.schema, application.apiVersion);
  if (taken === undefined) return conflicts;
  return conflicts
    .map((conflict) => ({ ...conflict, fields: difference(conflict.fields, taken) }))
    .filter(({ fields }) => !isEmpty(fields));
}

function describe({ owner, fields }: Dispute): ApplyConflict[] {
  const subresource = owner.subresource === "" ? "" : ` with subresource ${JSON.stringify(owner.subresource)}`;
  const version = owner.operation === "Update" ? ` using ${owner.apiVersion}` : "";
  const detail = subresource + version;
  return [...paths(fields)].map((path) => ({ manager: owner.manager, detail, field: printPath(path) }));
}
