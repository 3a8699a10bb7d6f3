import type { ApplyOptions } from "../engine/engine.ts";
import type { ReapplySysctl } from "../engine/plugin.ts";
import type { Host } from "../host/host.ts";
import type { ProfileSpec, TunedConfig } from "../../domain/node-tuning/api.ts";
import { excludedSysctls, parseGlobalConfig } from "../../language/tuned/text/global-config.ts";
import { type ParsedProfile, parseProfile } from "../../language/tuned/text/parse-profile.ts";
import type { Answers } from "../../language/tuned/probe.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import { baseVariableFiles } from "../../language/tuned/profiles/base-files.ts";
import { baseProfiles } from "../../language/tuned/profiles/base-profiles.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import { type AnswerOptions, providerPath } from "./answer-probes.ts";
import { type BootArguments, withoutBootLoader } from "./boot-arguments.ts";
import { type ExecRule, withoutRefusedScripts } from "./exec-policy.ts";
import { cpusAfterBoot } from "./cpus-after-boot.ts";
import { hostProfiles } from "./host-profiles.ts";
import { resolveOnNode } from "./resolve-on-node.ts";

export type SpecResolution =
  | {
      readonly type: "resolved";
      readonly profile: ResolvedProfile;
      /** What the profile was merged from. */
      readonly texts: readonly ParsedProfile[];
      readonly answers: Answers;
      readonly options: ApplyOptions;
      readonly exec: ExecRule | undefined;
    }
  /** The profile is invalid on this node. */
  | { readonly type: "invalid"; readonly problems: readonly Problem[] };

export interface SpecOptions extends AnswerOptions {
  /** Default apply. */
  readonly bootArguments?: BootArguments | undefined;
}

const mainConfig = "/etc/tuned/tuned-main.conf";

/** The settings of a Profile's spec on its node. Writes nothing but the provider's name, which profiles read. */
export async function resolveSpec(
  spec: ProfileSpec,
  host: Host,
  { signal, exec, bootArguments }: SpecOptions = {},
): Promise<SpecResolution> {
  const { tunedProfile, providerName = "", tunedConfig, debug = false } = spec.config;
  await writeProvider(host, providerName);
  const defined = [baseProfiles(), textsOf(spec)];
  const layers = [await hostProfiles(host, defined), ...defined];
  const profiles = { profile: tunedProfile, layers, files: baseVariableFiles() };
  const known = bootArguments === "report" ? await cpusAfterBoot(spec, host) : undefined;
  const resolution = await resolveOnNode({ profiles, host, answers: known, exec, signal });
  if (resolution.type === "invalid") return resolution;
  const { answers } = resolution;
  const allowed = exec ? withoutRefusedScripts(resolution.profile, exec) : resolution.profile;
  const profile = bootArguments === "report" ? withoutBootLoader(allowed) : allowed;
  const texts = profile.chain.flatMap((name) => layers.flatMap((layer) => layer.get(name) ?? []));
  const reapplySysctl = await reapplySysctlOf(tunedConfig, host);
  return { type: "resolved", profile, texts, answers, options: { reapplySysctl, debug }, exec };
}

function textsOf(spec: ProfileSpec): Map<string, ParsedProfile> {
  return new Map((spec.profile ?? []).map(({ name, data }) => [name, parseProfile(data, `${name}/tuned.conf`)]));
}

/** The Profile decides whether, and the node's own tuned-main.conf for which sysctls not. */
export async function reapplySysctlOf(
  config: TunedConfig | undefined,
  host: Pick<Host, "read">,
): Promise<ReapplySysctl> {
  const file = await host.read(mainConfig);
  const exclude = file.type === "text" ? excludedSysctls(parseGlobalConfig(file.text, mainConfig)) : [];
  return { enabled: config?.reapply_sysctl ?? true, exclude };
}

async function writeProvider(host: Host, provider: string): Promise<void> {
  const file = await host.read(providerPath);
  if (file.type === "text" && file.text === provider) return;
  const outcome = await host.replace(providerPath, provider);
  if (outcome.type === "failed") throw new Error(`write ${providerPath}: ${outcome.message}`);
}
