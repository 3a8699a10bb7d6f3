import type { Host, Outcome } from "../host/host.ts";
import { imageFile, imageVariable } from "../../domain/performance-profile/machine-config/one-shot.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import type { AppliedBy, NodeEngines } from "./node-engines.ts";
import { execRule } from "./exec-policy.ts";
import { placeBaseScripts } from "./place-base-scripts.ts";
import { resolveSpec } from "./resolve-spec.ts";
import { loadRecord } from "./tuning-record.ts";

export type RecordTuning =
  | { readonly type: "never-tuned" }
  | { readonly type: "invalid"; readonly profile: string; readonly problems: readonly Problem[] }
  | { readonly type: "applied"; readonly profile: string; readonly by: AppliedBy };

/**
 * Applies the profile of the tuning record after a restart of the node, before the API server can be reached. The record is
 * not changed: its boot id shows the agent that the node has restarted, so that a deferred change is due.
 */
export async function tuneFromRecord(host: Host, engines: NodeEngines): Promise<RecordTuning> {
  const record = await loadRecord(host);
  if (!record) return { type: "never-tuned" };
  const { tunedProfile: profile } = record.spec.config;
  const { exec = "allow", bootArguments } = record;
  const resolution = await resolveSpec(record.spec, host, { exec: execRule(exec), bootArguments });
  if (resolution.type === "invalid") return { ...resolution, profile };
  const placed = await placeBaseScripts(resolution.profile, host);
  return {
    type: "applied",
    profile,
    by: await engines.apply({ ...resolution, profile: placed, fingerprint: profile }),
  };
}

/** Writes the image of `attune agent --one-shot` where the systemd unit reads it that runs before the first pod. */
export async function writeImageFile(host: Pick<Host, "read" | "replace">, image: string): Promise<Outcome> {
  const text = `${imageVariable}=${image}\n`;
  const file = await host.read(imageFile);
  return file.type === "text" && file.text === text ? { type: "done" } : host.replace(imageFile, text);
}
