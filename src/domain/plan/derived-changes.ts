import { equal } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { derivationIn } from "../performance-profile/derivation.ts";
import { derive } from "../performance-profile/derive.ts";
import type { FieldFinding } from "../finding.ts";
import { findings } from "../performance-profile/findings.ts";
import { readFacts } from "../performance-profile/read-facts.ts";
import type { ProfileFacts } from "../performance-profile/profile-facts.ts";
import type { Surroundings } from "../performance-profile/surroundings.ts";

export interface ForecastInput {
  /** In the newest version. */
  readonly profile: KubeObject;
  readonly surroundings: Surroundings;
  /** What the cluster has under a name that is derived from the profile's. */
  readonly current: (kind: string, name: string) => KubeObject | undefined;
}

/** What would come of a profile if it stood in a cluster. */
export interface Forecast {
  readonly findings: readonly FieldFinding[];
  /** Absent: nothing can be derived, and the findings say why. */
  readonly derived?: {
    readonly facts: ProfileFacts;
    readonly objects: readonly DerivedChange[];
  };
}

export interface DerivedChange {
  readonly before?: KubeObject;
  readonly after: KubeObject;
  readonly change: "create" | "change" | "none";
}

export function forecast({ profile, surroundings, current }: ForecastInput): Forecast {
  const found = findings(profile, surroundings);
  const read = readFacts(profile);
  if (read.type === "unusable") return { findings: found };
  const { facts } = read;
  const input = derivationIn(surroundings, facts);
  // Where there is no pool for it yet, or more than one, it waits.
  if (surroundings.pools && !input.pool) return { findings: found };
  const derivation = derive(input);
  if (derivation.type === "refused") return { findings: found };
  const { tuned, machineConfig, kubeletConfig, runtimeClass } = derivation;
  const objects = [tuned, machineConfig, kubeletConfig, runtimeClass].map((object) =>
    changeOf(current(object.kind, object.metadata.name ?? ""), object),
  );
  return { findings: found, derived: { facts, objects } };
}

/** The object is ours from end to end, but for what others say about it in labels and annotations. */
function changeOf(before: KubeObject | undefined, derived: KubeObject): DerivedChange {
  if (!before) return { after: derived, change: "create" };
  const { labels, annotations } = before.metadata;
  const metadata = {
    ...before.metadata,
    ...merged("labels", labels, derived.metadata.labels),
    ...merged("annotations", annotations, derived.metadata.annotations),
  };
  const { status } = before as { status?: unknown };
  const after = { ...derived, metadata, ...(status === undefined ? {} : { status }) };
  return { before, after, change: equal(before, after) ? "none" : "change" };
}

function merged(field: string, theirs: object | undefined, ours: object | undefined): object {
  return theirs || ours ? { [field]: { ...theirs, ...ours } } : {};
}
