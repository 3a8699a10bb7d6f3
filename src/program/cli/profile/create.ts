import { readChoices } from "../../../domain/performance-profile/creator/choices.ts";
import type { Machine } from "../../../domain/performance-profile/creator/compare-hardware.ts";
import { createProfile } from "../../../domain/performance-profile/creator/create-profile.ts";
import { type GroupNote, groupNodes, type NodeGroup } from "../../../domain/performance-profile/creator/node-groups.ts";
import { profileDocument } from "../../../domain/performance-profile/creator/profile-document.ts";
import { formatFinding } from "../../../domain/finding.ts";
import { findings } from "../../../domain/performance-profile/findings.ts";
import type { PerformanceProfile } from "../../../domain/performance-profile/api.ts";
import { partitioningMode } from "../../../domain/workload-partitioning/identifier.ts";
import { type CommandContext, printable, type Terminal } from "../terminal/terminal.ts";
import { clusterOf, type KnownCluster, machinesOf, unknownHardware } from "./known-cluster.ts";
import { knownCluster, namesSource, type SourceOptions } from "./cluster-source.ts";

export interface CreateOptions extends SourceOptions {
  readonly mcpName?: string | undefined;
  readonly nodePoolName?: string | undefined;
  /** The flags that describe the profile, by name. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

/** `attune profile create`: prints a profile for the nodes of a pool. Returns the exit code. */
export async function create(options: CreateOptions, { terminal, signal }: CommandContext): Promise<number> {
  const read = readChoices(options.flags);
  const reasons = [...missing(options), ...(read.type === "refused" ? read.reasons : [])];
  if (read.type === "refused" || reasons.length > 0) return refused(reasons, terminal);
  const { choices } = read;
  const known = await knownOrNone(options, signal);
  if (!known) return refused([noSource], terminal);
  const cluster = clusterOf(known);
  const { groups, notes } = groupNodes(cluster);
  warn(known.warnings, terminal);
  const group = chosen(options, groups, cluster.hosted);
  if (typeof group === "string") return refused([group], terminal);
  warn(notesOn(group, notes), terminal);
  const found = await machinesOf(group, known);
  if (found.type === "unknown") return refused([unknownHardware(found.nodes)], terminal);
  const { machines } = found;
  const creation = createProfile({ choices, group, machines, pools: cluster.pools });
  if (creation.type === "refused") return refused(creation.reasons, terminal);
  const { profile, warnings } = creation;
  const judged = judge(profile, machines, known);
  warn([...warnings, ...judged.warnings], terminal);
  if (judged.errors.length > 0) return refused(judged.errors, terminal);
  terminal.out(profileDocument(profile, { ...choices, ...creation }, cluster.hosted));
  return 0;
}

/** Undefined: no source is named, and there is no cluster. */
async function knownOrNone(options: CreateOptions, signal: AbortSignal): Promise<KnownCluster | undefined> {
  try {
    return await knownCluster(options, options.mcpName ?? "", signal);
  } catch (error) {
    if (error instanceof Error && error.name === "NoClusterError") return undefined;
    throw error;
  }
}

const noSource = "--must-gather-dir-path, --kubeconfig, --context, --snapshot or $KUBECONFIG is required";

function missing({ mcpName, nodePoolName, ...options }: CreateOptions): string[] {
  const reasons: string[] = [];
  if (options.live !== true && !namesSource(options)) reasons.push(noSource);
  if ((mcpName === undefined) === (nodePoolName === undefined))
    reasons.push("exactly one of --mcp-name and --node-pool-name is required");
  return reasons;
}

/** The group that was named, or an error message. */
function chosen(
  { mcpName, nodePoolName }: CreateOptions,
  groups: readonly NodeGroup[],
  hosted: boolean,
): NodeGroup | string {
  const flag = mcpName === undefined ? "--node-pool-name" : "--mcp-name";
  const name = mcpName ?? nodePoolName;
  if (hosted && mcpName !== undefined) return `${flag}: the cluster is hosted; use --node-pool-name`;
  if (!hosted && nodePoolName !== undefined) return `${flag}: the cluster is not hosted; use --mcp-name`;
  const group = groups.find((one) => one.name === name);
  const names = groups.map((one) => one.name).join(", ");
  return group ?? `${flag} ${name}: ${names === "" ? "no node belongs to a pool" : `not one of ${names}`}`;
}

/** Only the notes that concern this group. */
function notesOn({ name }: NodeGroup, notes: readonly GroupNote[]): string[] {
  return notes.filter(({ about }) => about.length === 0 || about.includes(name)).map(({ message }) => message);
}

/** The findings that admission would have for this profile and these nodes. */
function judge(
  profile: PerformanceProfile,
  machines: readonly Machine[],
  { pools, infrastructure }: KnownCluster,
): { readonly errors: readonly string[]; readonly warnings: readonly string[] } {
  const found = findings(profile, {
    nodes: machines,
    otherProfiles: [],
    ...(pools ? { pools } : {}),
    partitioning: partitioningMode(infrastructure),
    mixedCpusAllowed: false,
    foreignWorkloads: [],
  });
  const of = (severity: "error" | "warning"): string[] =>
    found.filter((one) => one.severity === severity).map(formatFinding);
  return { errors: of("error"), warnings: of("warning") };
}

function refused(reasons: readonly string[], { err }: Terminal): number {
  for (const reason of reasons) err(`error: ${printable(reason)}\n`);
  return 1;
}

function warn(warnings: readonly string[], { err }: Terminal): void {
  for (const warning of warnings) err(`warning: ${printable(warning)}\n`);
}
