import {
  bootArgumentsAnnotation,
  type Hardware,
  inputsAnnotation,
  type Profile,
  type ProfileStatus,
  type ProfileText,
  type OptionalField,
  reportFields,
} from "./api.ts";
import type { NodeFacts } from "./node-profile.ts";

/** Drops heartbeats and images: they are most of a Node, and no decision reads them. */
export function projectNode({ apiVersion, kind, metadata, spec, status }: NodeFacts): NodeFacts {
  const { name, uid, resourceVersion, labels } = metadata;
  const annotations = pick(metadata.annotations, [bootArgumentsAnnotation, inputsAnnotation]);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, labels, ...(annotations ? { annotations } : {}) },
    spec: { providerID: spec?.providerID },
    ...(ready ? { status: { conditions: [{ type: "Ready", status: ready.status }] } } : {}),
  };
}

function pick(
  annotations: Record<string, string> | undefined,
  names: readonly string[],
): Record<string, string> | undefined {
  if (!annotations) return undefined;
  const found = names.filter((name) => Object.hasOwn(annotations, name)).map((name) => [name, annotations[name]]);
  return found.length > 0 ? (Object.fromEntries(found) as Record<string, string>) : undefined;
}

/** The part of a projected Node that decisions depend on. */
export function nodeFactsOf({ metadata: { uid, labels, annotations }, spec, status }: NodeFacts): string {
  return JSON.stringify([uid, labels, annotations, spec, status]);
}

/** The part of a Profile that decisions depend on: not the times and messages of its conditions. */
export function profileFactsOf({ metadata, status }: Profile): string {
  const conditions = status?.conditions?.map(({ type, status }) => [type, status]);
  const { tunedProfile, bootcmdline, bootcmdlineInputs, hostProfiles } = status ?? {};
  return JSON.stringify([
    metadata.uid,
    metadata.generation,
    metadata.annotations,
    conditions,
    tunedProfile,
    bootcmdline,
    bootcmdlineInputs,
    hostProfiles,
  ]);
}

/** Thousands of Profiles have reports, and no decision reads them. */
export function withoutReports(profile: Profile): Profile {
  return profile.status ? { ...profile, status: withoutFields(profile.status, reportFields) } : profile;
}

export function withoutFields(status: ProfileStatus, fields: readonly OptionalField[]): ProfileStatus {
  const kept = { ...status };
  for (const field of fields)
    if (field !== "hardware.caches") delete kept[field];
    else if (kept.hardware) kept.hardware = withoutCaches(kept.hardware);
  return kept;
}

export function withoutCaches({ caches: _, ...hardware }: Hardware): Hardware {
  return hardware;
}

/** Keeps one copy of a text that thousands of Profiles have. */
export class SharedTexts {
  readonly #last = new Map<string, string>();

  project = (profile: Profile): Profile => {
    const { spec, metadata } = profile;
    const { managedFields: _, ...kept } = metadata;
    return {
      ...profile,
      metadata: kept,
      spec: { ...spec, ...(spec.profile ? { profile: spec.profile.map(this.#shared) } : {}) },
    };
  };

  readonly #shared = ({ name, data }: ProfileText): ProfileText => {
    const known = this.#last.get(name);
    if (known === data) return { name, data: known };
    this.#last.set(name, data);
    return { name, data };
  };
}
