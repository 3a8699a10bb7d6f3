import type { Host } from "../host/host.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import type { AppliedBy, NodeEngines } from "./node-engines.ts";
import { placeBaseScripts } from "./place-base-scripts.ts";
import { resolveSpec } from "./resolve-spec.ts";
import { loadRecord } from "./tuning-record.ts";

export type TunedAgain =
  | { readonly type: "never-tuned" }
  | { readonly type: "invalid"; readonly profile: string; readonly problems: readonly Problem[] }
  | { readonly type: "applied"; readonly profile: string; readonly by: AppliedBy };

/**
 * Makes a node that has restarted be as it was, before the cluster can be asked. The record stays as it is: by the boot that
 * it names the agent sees that the node has restarted, and that a change waits no longer.
 */
export async function tuneAgain(host: Host, engines: NodeEngines): Promise<TunedAgain> {
  const record = await loadRecord(host);
  if (!record) return { type: "never-tuned" };
  const { tunedProfile: profile } = record.spec.config;
  const resolution = await resolveSpec(record.spec, host);
  if (resolution.type === "invalid") return { ...resolution, profile };
  await placeBaseScripts(resolution.profile, host);
  return { type: "applied", profile, by: await engines.apply({ ...resolution, fingerprint: profile }) };
}
