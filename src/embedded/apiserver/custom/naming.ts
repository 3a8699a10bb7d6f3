import { findCondition, isTrue, setCondition, type Condition } from "../../../language/object/condition.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import type { Resource } from "../resource.ts";
import { isUnreadable } from "./validate-conversion.ts";
import { asDefinition, type DefinitionNames, type DefinitionStatus } from "./definition.ts";

type NamedResource = Pick<Resource, "group" | "plural" | "singular" | "shortNames" | "kind" | "listKind">;

/** Names of a group that are in use: plural, singular and short names, and kinds. */
interface TakenNames {
  readonly resources: Set<string>;
  readonly kinds: Set<string>;
}

/**
 * The status of a definition, given all others. A name belongs to the definition that was first; a definition is served
 * once all its names are accepted, and keeps its accepted names when a later change conflicts. Returns the same object if
 * nothing changes.
 */
export function establish(
  object: KubeObject,
  others: readonly KubeObject[],
  builtins: readonly NamedResource[],
  now: number,
): DefinitionStatus {
  const { spec, status, metadata } = asDefinition(object);
  const requested = spec.names ?? {};
  const before: DefinitionNames = status?.acceptedNames ?? { plural: "", kind: "" };
  const established = findCondition(status?.conditions, "Established");
  const isSettled = established !== undefined && established.reason !== UNREADABLE;
  if (status && equal(requested, before) && isSettled) return status;

  const rivals = others.filter((other) => other.metadata.name !== metadata.name);
  const taken = takenNames(spec.group ?? "", rivals, builtins);
  const { names, conflict } = accept(requested, before, taken);

  let conditions: readonly Condition[] = status?.conditions ?? [];
  const time = formatTime(now);
  const accepted = conflict ?? { status: "True", reason: "NoConflicts", message: "no conflicts found" };
  conditions = setCondition(conditions, { type: "NamesAccepted", ...accepted }, time);
  if (!isTrue(conditions, "Established"))
    conditions = setCondition(
      conditions,
      { type: "Established", ...establishment(conflict === undefined, isUnreadable(spec.conversion)) },
      time,
    );
  return { conditions: [...conditions], acceptedNames: names, storedVersions: status?.storedVersions ?? null };
}

const UNREADABLE = "InvalidCABundle";

function establishment(accepted: boolean, unreadable: boolean): Pick<Condition, "status" | "reason" | "message"> {
  if (!accepted) return { status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  if (unreadable) return { status: "False", reason: UNREADABLE, message: "The conversion webhook CABundle is invalid" };
  return { status: "True", reason: "InitialNamesAccepted", message: "the initial names have been accepted" };
}

function takenNames(group: string, others: readonly KubeObject[], builtins: readonly NamedResource[]): TakenNames {
  const taken: TakenNames = { resources: new Set(), kinds: new Set() };
  const add = (names: Partial<Omit<NamedResource, "group">>) => {
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) taken.resources.add(name);
    for (const kind of [names.kind, names.listKind]) if (kind) taken.kinds.add(kind);
  };
  for (const other of others) {
    const { spec, status } = asDefinition(other);
    if (spec.group === group && status) add(status.acceptedNames);
  }
  for (const builtin of builtins) if (builtin.group === group) add(builtin);
  return taken;
}

type Conflict = { status: "False"; reason: string; message: string };

/** Free names are accepted even if others conflict; the last conflict is reported. */
function accept(
  requested: DefinitionNames,
  before: DefinitionNames,
  taken: TakenNames,
): { names: DefinitionNames; conflict: Conflict | undefined } {
  const names: DefinitionNames = { ...before };
  let conflict: Conflict | undefined;
  const refuse = (reason: string, message: string) => (conflict = { status: "False", reason, message });
  const tryName = (field: "plural" | "singular" | "kind" | "listKind", used: Set<string>, reason: string) => {
    const name = requested[field] ?? "";
    if (name !== (before[field] ?? "") && used.has(name)) refuse(reason, inUse(name));
    else if (name !== "") names[field] = name;
  };

  tryName("plural", taken.resources, "PluralConflict");
  tryName("singular", taken.resources, "SingularConflict");
  const had = new Set(before.shortNames);
  const clashes = (requested.shortNames ?? []).filter((name) => !had.has(name) && taken.resources.has(name));
  if (clashes.length > 0) refuse("ShortNamesConflict", several(clashes.map(inUse)));
  else if (requested.shortNames) names.shortNames = requested.shortNames;
  else delete names.shortNames;
  tryName("kind", taken.kinds, "KindConflict");
  tryName("listKind", taken.kinds, "ListKindConflict");
  if (requested.categories) names.categories = requested.categories;
  else delete names.categories;
  return { names, conflict };
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;

const several = (messages: readonly string[]): string =>
  messages.length === 1 ? String(messages[0]) : `[${messages.join(", ")}]`;
