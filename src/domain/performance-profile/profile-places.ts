import type { KubeObject } from "../../language/object/meta.ts";
import type { ObjectReference, Plan, PlannedObject } from "../../language/object/plan.ts";
import type { PerformanceProfile } from "./api.ts";
import type { DerivedKind, ProfileInput } from "./decide.ts";
import type { Pause } from "./other-operator/pause.ts";
import type { ProfileStatus } from "./status.ts";

/** Where profiles come from, and where their status goes. Each has a key. */
export interface ProfileSource<P extends PerformanceProfile> {
  readonly finalizer: string;
  get(key: string): P | undefined;
  /** The object that has the profile, for events. */
  reference(profile: P): ObjectReference;
  planStatus(profile: P, status: ProfileStatus): Partial<Plan>;
  setFinalizers(profile: P, finalizers: string[], signal: AbortSignal): Promise<void>;
}

/** Where derived objects go. */
export interface ObjectSink<P extends PerformanceProfile> {
  /** The objects with the names of those that are derived from the profile. */
  observed(profile: P): Partial<Record<DerivedKind, KubeObject>>;
  plan(object: KubeObject, profile: P): PlannedObject;
  /** Whether an object that exists is not as planned. */
  differs(planned: PlannedObject, observed: KubeObject): boolean;
  prune(object: KubeObject): ObjectReference;
  /** Where another operator rolls out pools. */
  pause?(pause: Pause, now: number, signal: AbortSignal): Promise<void>;
}

/** What a profile depends on in the cluster. */
export interface ProfileSurroundings<P extends PerformanceProfile> {
  of(profile: P): Omit<ProfileInput, "profile" | "observed" | "finalizer">;
}
