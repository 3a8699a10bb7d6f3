import type { KubeObject } from "../../language/object/meta.ts";
import { formatFinding, type ObjectFinding } from "../finding.ts";
import type { Tuned } from "../node-tuning/api.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import { apiVersion, performanceProfileKind } from "../performance-profile/api.ts";
import { convertProfile } from "../performance-profile/conversion/conversion.ts";
import { type ClusterObjects, surroundingsOf } from "../performance-profile/surroundings.ts";
import { withoutPools } from "../performance-profile/without-pools.ts";
import { plannedObject, type PlannedObject, type PlannedWrite } from "./change-plan.ts";
import { type DerivedChanges, derivedChanges } from "./derived-changes.ts";

export interface ProfileChangesInput {
  readonly writes: readonly PlannedWrite[];
  /** What the operator decides by after the writes, without the objects that are derived from them. */
  readonly after: NodeTuningInput;
  readonly cluster: ClusterObjects & { readonly derived: readonly KubeObject[] };
}

/** Changes caused by written PerformanceProfiles. */
export interface ProfileChanges {
  readonly objects: readonly PlannedObject[];
  readonly tuneds: readonly Tuned[];
  readonly findings: readonly ObjectFinding[];
  /** Why the webhook would reject them. */
  readonly problems: readonly string[];
  /** Of derived objects. */
  readonly writes: readonly PlannedWrite[];
}

export function profileChanges({ writes, after, cluster }: ProfileChangesInput): ProfileChanges {
  const written = writes
    .filter(({ after: { kind } }) => kind === performanceProfileKind.kind)
    .map((write) => ({ place: write.place, profile: convertProfile(write.after, apiVersion) }));
  const profiles = written.map(({ profile }) => profile);
  const objects = { ...cluster, performanceProfiles: withWritten(cluster.performanceProfiles, profiles) };
  const current = [...after.tuneds, ...(after.machineConfigs ?? []), ...cluster.derived];
  const changes = written.map(({ place, profile }) => {
    const surroundings = surroundingsOf(profile, objects);
    const derived = derivedChanges({
      profile,
      surroundings,
      current: (kind, name) => current.find((object) => object.kind === kind && object.metadata.name === name),
    });
    return changesOf({ place, profile }, derived, after);
  });
  return {
    objects: changes.flatMap((one) => one.objects),
    tuneds: changes.flatMap((one) => one.tuneds),
    findings: changes.flatMap((one) => one.findings),
    problems: changes.flatMap((one) => one.problems),
    writes: changes.flatMap((one) => one.writes),
  };
}

/** The objects of one kind after a write: it replaces the object of the same name. */
export function withWritten<T extends KubeObject>(objects: readonly T[], written: readonly T[]): T[] {
  const byName = new Map(objects.map((object) => [object.metadata.name, object]));
  for (const object of written) byName.set(object.metadata.name, object);
  return [...byName.values()];
}

interface WrittenProfile {
  readonly place: string;
  readonly profile: KubeObject;
}

function changesOf(
  { place, profile }: WrittenProfile,
  { findings, derived }: DerivedChanges,
  after: NodeTuningInput,
): ProfileChanges {
  const about = `${profile.kind} ${profile.metadata.name}`;
  const messages = (severity: string): string[] =>
    findings.filter((finding) => finding.severity === severity).map(formatFinding);
  const finding = (severity: ObjectFinding["severity"], message: string): ObjectFinding => ({
    severity,
    about,
    message,
  });
  const nothing = {
    objects: [],
    tuneds: [],
    writes: [],
    findings: messages("warning").map((message) => finding("warning", message)),
    problems: messages("error").map((message) => `${place}: ${about}: ${message}`),
  };
  if (!derived) return nothing;
  const { facts, writes } = derived;
  if (facts.paused) {
    const paused = finding("note", "it is paused: objects derived from it stay as they are");
    return { ...nothing, findings: [...nothing.findings, paused] };
  }
  const writable = after.pools ? writes : writes.filter(({ after: { kind } }) => !needsPools(kind));
  const objects = writable.map((write) => ({ ...plannedObject(write), derived: true }) as const);
  return {
    ...nothing,
    objects,
    writes: writable,
    tuneds: writes.map(({ after: object }) => object).filter(({ kind }) => kind === "Tuned"),
    findings: [...nothing.findings, ...(writable.length < writes.length ? [finding("warning", withoutPools)] : [])],
  };
}

/** The handler that the RuntimeClass names is configured by the MachineConfig. */
function needsPools(kind: string): boolean {
  return kind === "MachineConfig" || kind === "KubeletConfig" || kind === "RuntimeClass";
}
