import { existsSync } from "node:fs";
import { groupNodes } from "../../../domain/performance-profile/creator/node-groups.ts";
import { type KnownGroup, poolInfos, poolInfoText } from "../../../domain/performance-profile/creator/info.ts";
import { type CommandContext, printable } from "../terminal/terminal.ts";
import { serialised } from "../terminal/serialise.ts";
import { clusterOf, machinesOf, unknownHardware } from "./known-cluster.ts";
import { knownCluster, namesSource, type SourceOptions } from "./cluster-source.ts";

export interface InfoOptions extends SourceOptions {
  /** In one line, as the program that it replaces prints it. */
  readonly json?: boolean | undefined;
  readonly output?: "text" | "json" | "yaml" | undefined;
}

const noPools =
  "no node belongs to a pool: nodes need a role label such as node-role.kubernetes.io/worker; nodes of NodePools are in their hosted cluster";

/** The default of the program that it replaces. */
const usualMustGather = "must-gather";

/** Without a source: the folder that a must-gather is usually in, else the cluster that other commands use. */
function withDefault(options: InfoOptions): SourceOptions {
  if (namesSource(options)) return options;
  return existsSync(usualMustGather) ? { ...options, mustGatherDirPath: usualMustGather } : { ...options, live: true };
}

/** `attune profile info`: prints the pools and the CPUs of their nodes. Returns the exit code. */
export async function info(options: InfoOptions, { terminal, signal }: CommandContext): Promise<number> {
  const known = await knownCluster(withDefault(options), "worker", signal);
  const { groups, notes } = groupNodes(clusterOf(known));
  for (const warning of [...known.warnings, ...notes.map(({ message }) => message)])
    terminal.err(`warning: ${printable(warning)}\n`);
  const all: KnownGroup[] = [];
  const unknown: string[] = [];
  for (const group of groups) {
    const found = await machinesOf(group, known);
    if (found.type === "unknown") unknown.push(...found.nodes);
    else all.push({ name: group.name, nodes: found.machines });
  }
  if (unknown.length > 0) {
    terminal.err(`error: ${printable(unknownHardware([...new Set(unknown)]))}\n`);
    return 1;
  }
  const infos = poolInfos(all);
  if (infos.length === 0) terminal.err(`warning: ${noPools}\n`);
  const { json, output = "text" } = options;
  if (json) terminal.out(`${JSON.stringify(infos)}\n`);
  else terminal.out(output === "text" ? poolInfoText(infos) : await serialised(infos, output));
  return 0;
}
