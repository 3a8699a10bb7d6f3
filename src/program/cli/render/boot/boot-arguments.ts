import { nodeTuningCrds } from "../../../../domain/node-tuning/crds.ts";
import type { Schema } from "../../../../language/schema/schema.ts";
import { validateSchema } from "../../../../language/schema/validate.ts";
import type { Host } from "../../../../node/host/host.ts";
import type { MachineConfigPool } from "../../../../domain/machine-config/api.ts";
import type { Tuned } from "../../../../domain/node-tuning/api.ts";
import { profilesOf } from "../../../../domain/node-tuning/expected-profile.ts";
import { at, isObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { resolveOnNode } from "../../../../node/on-node/resolve-on-node.ts";
import { poolFor } from "../../../../domain/performance-profile/pools.ts";
import { type Answers, probeKey } from "../../../../language/tuned/probe.ts";
import { formatProblem, type Problem } from "../../../../language/tuned/problem.ts";
import { bootMachineConfig } from "./boot-machine-config.ts";
import { chooseForPool } from "./choose-for-pool.ts";
import { deriveProfile, futureCluster, type FutureCluster } from "../derive-profile.ts";
import type { Rendered } from "../render-assets.ts";
import type { SortedAssets } from "../sort-assets.ts";

export interface BootInput {
  readonly assets: SortedAssets;
  readonly pool: string;
  /** A node of the pool, on which profiles are resolved. Nothing on it is changed. */
  readonly host: Host;
  readonly version: string;
}

/**
 * The MachineConfig with the boot arguments of a pool. The operator would write the same one later, after the agents have
 * reported, and the nodes would have to restart for it.
 */
export async function renderBootArguments({ assets, pool: name, host, version }: BootInput): Promise<Rendered> {
  const cluster = futureCluster(assets);
  const pool = cluster.pools.find(({ metadata }) => metadata.name === name);
  const { tuneds, problems, warnings } = tunedsOf(assets, cluster, pool);
  const refused = (...why: string[]): Rendered => ({ type: "refused", problems: [...problems, ...why], warnings });
  const nothing = (why: string): Rendered => ({
    type: "files",
    files: [],
    warnings: [...warnings, `pool ${name}: no file is written: ${why}`],
  });

  if (!pool) return refused(`--mcp-name ${name}: no such MachineConfigPool`);
  if (problems.length > 0) return refused();
  const { infrastructure, machineConfigs } = assets;
  const choice = chooseForPool({ pool, pools: cluster.pools, tuneds, infrastructure });
  if (choice.type === "refused") return refused(`--mcp-name ${name}: ${choice.why}`);
  if (choice.type === "nothing") return nothing(choice.why);

  const { node, pools } = choice;
  const resolution = await resolveOnNode({ profiles: profilesOf(node.wanted.spec), host, answers: withoutTraces });
  if (resolution.type === "invalid") return refused(...resolution.problems.map((problem) => onHost(problem, name)));
  const line = resolution.profile.bootArguments.join(" ");
  const made = bootMachineConfig({ pool: name, pools, node, line, version, machineConfigs });
  if (made.type === "nothing") return nothing(made.why);
  return { type: "files", files: [{ name: "kernelcmdargs_machineconfig_kargs.yaml", object: made.object }], warnings };
}

/** An assertion of a profile fails on hardware that it was not made for, such as that of an administrator's own host. */
function onHost(problem: Problem, pool: string): string {
  const text = formatProblem(problem);
  if (!problem.message.startsWith("Assertion ")) return text;
  return `${text}; boot arguments depend on the hardware: run the command on a node of the pool ${pool}, or pass --root with such a node's root file system`;
}

/** Some profiles create a temporary folder when they are resolved. Boot arguments do not depend on its name. */
const withoutTraces: Answers = new Map([
  [probeKey({ type: "exec", argv: ["mktemp", "-d"] }), { type: "text", text: "/tmp\n" }],
]);

/** The Tuneds of the input, and those derived from PerformanceProfiles. */
function tunedsOf(
  assets: SortedAssets,
  cluster: FutureCluster,
  pool: MachineConfigPool | undefined,
): { tuneds: Tuned[]; problems: string[]; warnings: string[] } {
  const tuneds = new Map(assets.tuneds.map((tuned) => [tuned.metadata.name, tuned]));
  const problems = [...assets.problems, ...tunedProblems(assets.tuneds)];
  const warnings = [...assets.warnings];
  for (const asset of assets.profiles) {
    const outcome = deriveProfile(asset, assets, cluster);
    warnings.push(...outcome.warnings);
    if (outcome.type === "derived") tuneds.set(outcome.derived.tuned.metadata.name, outcome.derived.tuned);
    else (isFor(asset.object, pool) ? problems : warnings).push(...outcome.problems);
  }
  return { tuneds: [...tuneds.values()], problems, warnings };
}

/** Problems of a profile matter only for its own pool. */
function isFor(profile: KubeObject, pool: MachineConfigPool | undefined): boolean {
  const selector = at(profile, "spec", "nodeSelector");
  return (
    pool !== undefined && isObject(selector) && poolFor(selector as Record<string, string>, [pool]).type === "pool"
  );
}

/** Schema errors that an API server would report for these Tuneds. */
function tunedProblems(tuneds: readonly Tuned[]): string[] {
  return tuneds.flatMap((tuned) =>
    validateSchema(tuned, tunedSchema()).map(
      ({ field, message }) => `Tuned ${tuned.metadata.name}: ${field}: ${message}`,
    ),
  );
}

function tunedSchema(): Schema {
  const definition = nodeTuningCrds.find((crd) => at(crd, "spec", "names", "kind") === "Tuned");
  const [version] = at(definition, "spec", "versions") as { schema: { openAPIV3Schema: Schema } }[];
  return version?.schema.openAPIV3Schema ?? {};
}
