import type { KubeObject } from "../../language/object/meta.ts";
import type { FieldFinding } from "../finding.ts";
import { derivationIn } from "../performance-profile/derivation.ts";
import { derive } from "../performance-profile/derive.ts";
import { findings } from "../performance-profile/findings.ts";
import type { ProfileFacts } from "../performance-profile/profile-facts.ts";
import { readFacts } from "../performance-profile/read-facts.ts";
import type { Surroundings } from "../performance-profile/surroundings.ts";
import type { PlannedWrite } from "./change-plan.ts";

export interface DerivedInput {
  /** In the newest version. */
  readonly profile: KubeObject;
  readonly surroundings: Surroundings;
  /** The object of the cluster that has this kind and name. */
  readonly current: (kind: string, name: string) => KubeObject | undefined;
}

/** What the operator would derive from a PerformanceProfile. */
export interface DerivedChanges {
  readonly findings: readonly FieldFinding[];
  /** Absent: the operator derives nothing from it, and the findings say why. */
  readonly derived?: {
    readonly facts: ProfileFacts;
    readonly writes: readonly PlannedWrite[];
  };
}

export function derivedChanges({ profile, surroundings, current }: DerivedInput): DerivedChanges {
  const found = findings(profile, surroundings);
  const read = readFacts(profile);
  if (read.type === "unusable") return { findings: found };
  const { facts } = read;
  const input = derivationIn(surroundings, facts);
  // The operator waits while there is no pool for the profile, or more than one.
  if (surroundings.pools && !input.pool) return { findings: found };
  const derivation = derive(input);
  if (derivation.type === "refused") return { findings: found };
  const { tuned, machineConfig, kubeletConfig, runtimeClass } = derivation;
  const place = `derived from ${profile.kind} ${profile.metadata.name}`;
  const writes = [tuned, machineConfig, kubeletConfig, runtimeClass].map((object) => {
    const before = current(object.kind, object.metadata.name ?? "");
    return { place, before, after: before ? replaced(before, object) : object };
  });
  return { findings: found, derived: { facts, writes } };
}

/** The operator replaces the object, and keeps its status and what others added to labels and annotations. */
function replaced(before: KubeObject, derived: KubeObject): KubeObject {
  const { labels, annotations } = before.metadata;
  const metadata = {
    ...before.metadata,
    ...merged("labels", labels, derived.metadata.labels),
    ...merged("annotations", annotations, derived.metadata.annotations),
  };
  const { status } = before as { status?: unknown };
  return { ...derived, metadata, ...(status === undefined ? {} : { status }) };
}

function merged(field: string, theirs: object | undefined, ours: object | undefined): object {
  return theirs || ours ? { [field]: { ...theirs, ...ours } } : {};
}
