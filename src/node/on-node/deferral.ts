import type { Deferred } from "../../domain/node-tuning/api.ts";

export interface DeferralInput {
  readonly wanted: { readonly profile: string; readonly fingerprint: string };
  /** The Profile that was last applied completely, and in which boot; undefined if none ever was. */
  readonly inForce: { readonly profile: string; readonly fingerprint: string; readonly bootId: string } | undefined;
  /** Undefined: the Profile is not deferred. */
  readonly mode: Deferred | undefined;
  readonly bootId: string;
}

export type Deferral =
  | {
      readonly type: "apply";
      readonly because: "NeverTuned" | "NotDeferred" | "Restarted" | "InForce" | "OtherProfile";
    }
  | { readonly type: "defer"; readonly because: "Always" | "Update" };

/**
 * Whether a change is applied now or after the next restart of the node. Depends only on what is wanted and what is in
 * force: a restart of the agent does not change the decision, a reverted edit is not deferred, and of several edits the
 * last is applied.
 */
export function decideDeferral({ wanted, inForce, mode, bootId }: DeferralInput): Deferral {
  if (!inForce) return { type: "apply", because: "NeverTuned" };
  if (mode === undefined) return { type: "apply", because: "NotDeferred" };
  if (inForce.bootId !== bootId) return { type: "apply", because: "Restarted" };
  if (inForce.fingerprint === wanted.fingerprint) return { type: "apply", because: "InForce" };
  if (mode === "always") return { type: "defer", because: "Always" };
  if (inForce.profile === wanted.profile) return { type: "defer", because: "Update" };
  return { type: "apply", because: "OtherProfile" };
}
