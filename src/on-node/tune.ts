import type { ApplyReport, Engine } from "../engine/engine.ts";
import type { Host } from "../host/host.ts";
import type { ProfileSpec } from "../node-tuning/api.ts";
import { parseProfile } from "../tuned/parse-profile.ts";
import type { Problem } from "../tuned/problem.ts";
import { baseVariableFiles } from "../tuned/profiles/base-files.ts";
import { baseProfiles } from "../tuned/profiles/base-profiles.ts";
import type { Profiles } from "../tuned/resolve.ts";
import { placeBaseScripts } from "./place-base-scripts.ts";
import { resolveOnNode } from "./resolve-on-node.ts";

export type TuneOutcome =
  | {
      type: "applied";
      report: ApplyReport;
      warnings: readonly Problem[];
      /** What the profile wants of the boot loader, as one line. */
      bootArguments: string;
    }
  /** The profile makes no sense on this node. Nothing was changed. */
  | { type: "invalid"; problems: readonly Problem[] }
  /** Something that should work did not; it is tried again. */
  | { type: "failed"; message: string };

export interface TuneInput {
  spec: ProfileSpec;
  host: Host;
  engine: Engine;
  signal?: AbortSignal;
}

/** Where profiles look for the name of the cloud provider. */
const providerPath = "/var/lib/ocp-tuned/provider";

/** Makes a node be as its Profile says. */
export async function tune({ spec, host, engine, signal }: TuneInput): Promise<TuneOutcome> {
  const failure = await tellProvider(host, spec.config.providerName ?? "");
  if (failure !== undefined) return { type: "failed", message: failure };

  const profiles: Profiles = {
    profile: spec.config.tunedProfile,
    layers: [baseProfiles(), textsOf(spec)],
    files: baseVariableFiles(),
  };
  const resolution = await resolveOnNode({ profiles, host, signal });
  if (resolution.type === "invalid") return resolution;
  await placeBaseScripts(resolution.profile, host);
  const enabled = spec.config.tunedConfig?.reapply_sysctl ?? true;
  const report = await engine.apply(resolution.profile, host, { reapplySysctl: { enabled, exclude: [] } });
  const { warnings, bootArguments } = resolution.profile;
  return { type: "applied", report, warnings, bootArguments: bootArguments.join(" ") };
}

function textsOf(spec: ProfileSpec): Map<string, ReturnType<typeof parseProfile>> {
  return new Map((spec.profile ?? []).map(({ name, data }) => [name, parseProfile(data, `${name}/tuned.conf`)]));
}

async function tellProvider(host: Host, provider: string): Promise<string | undefined> {
  const file = await host.read(providerPath);
  if (file.type === "text" && file.text === provider) return undefined;
  const outcome = await host.replace(providerPath, provider);
  return outcome.type === "failed" ? `write ${providerPath}: ${outcome.message}` : undefined;
}
