import type { Deferred } from "../../domain/node-tuning/api.ts";

export interface DeferralInput {
  readonly wanted: { readonly profile: string; readonly fingerprint: string };
  /** What the node was last tuned to as a whole, and in which boot; nothing where that never came to its end. */
  readonly inForce: { readonly profile: string; readonly fingerprint: string; readonly bootId: string } | undefined;
  /** What the Profile asks for: nothing means at once. */
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
 * Whether a change reaches the node now or with its next start. Looks at nothing but what is wanted and what is in force,
 * so that a restart of the agent changes no answer, an edit taken back waits for nothing, and of several edits the last
 * one is waited for.
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
