import type { MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import { equal } from "../../language/object/json.ts";
import { generatedAnnotation } from "../node-tuning/api.ts";
import type { NodeFacts } from "../node-tuning/node-profile.ts";
import { Pools } from "../node-tuning/pools.ts";
import type { Settled } from "./settle.ts";

/** Boot arguments that change, and the machines that restart for it. */
export interface BootChange extends Restarts {
  readonly machineConfig: string;
  /** Absent: there is no MachineConfig. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** What it means for machines that the configuration of pools changes. */
export interface Restarts {
  readonly pools: readonly string[];
  /** Names of nodes. */
  readonly restarts: readonly string[];
  /** Pools that stand still: their nodes restart when they no longer do. */
  readonly paused: readonly string[];
}

export interface Surroundings {
  readonly nodes: readonly NodeFacts[];
  readonly pools: readonly MachineConfigPool[];
  /** Those in the cluster now. */
  readonly machineConfigs: readonly MachineConfig[];
}

/** Where the change makes a difference: what would have come of the cluster without it does not count. */
export function bootChanges(before: Settled, after: Settled, surroundings: Surroundings): BootChange[] {
  const names = [...new Set([...before.machineConfigs.keys(), ...after.machineConfigs.keys()])].toSorted();
  const now = new Map(surroundings.machineConfigs.map((object) => [object.metadata.name ?? "", object]));
  const pools = new Pools(surroundings.pools);
  return names.flatMap((name) => {
    const old = before.machineConfigs.get(name);
    const fresh = after.machineConfigs.get(name);
    if (!isOurs(old ?? fresh) || equal(argumentsOf(old), argumentsOf(fresh))) return [];
    // Foretold arguments may stand there unexpanded: what is in force is known better.
    const inForce = now.get(name);
    if (equal(argumentsOf(inForce), argumentsOf(fresh))) return [];
    return [
      {
        machineConfig: name,
        ...(inForce ? { before: argumentsOf(inForce) } : {}),
        ...(fresh ? { after: argumentsOf(fresh) } : {}),
        ...restartsOf(pools.selecting((fresh ?? old)?.metadata.labels ?? {}), surroundings),
      },
    ];
  });
}

/** Machines restart for what their own pool gets, not for what another does that they are in as well. */
export function restartsOf(
  selected: readonly string[],
  { nodes, pools }: Omit<Surroundings, "machineConfigs">,
): Restarts {
  const all = new Pools(pools);
  const isSelected = ({ metadata }: NodeFacts): boolean => {
    const [primary] = all.ofNode(metadata.labels ?? {});
    return primary !== undefined && selected.includes(primary);
  };
  return {
    pools: selected,
    restarts: nodes.filter(isSelected).map(({ metadata }) => metadata.name ?? ""),
    paused: pools
      .filter(({ metadata, spec }) => spec?.paused === true && selected.includes(metadata.name ?? ""))
      .map(({ metadata }) => metadata.name ?? ""),
  };
}

function argumentsOf(machineConfig: MachineConfig | undefined): readonly string[] {
  return machineConfig?.spec?.kernelArguments ?? [];
}

function isOurs(machineConfig: MachineConfig | undefined): boolean {
  const { annotations } = machineConfig?.metadata ?? {};
  return annotations !== undefined && Object.hasOwn(annotations, generatedAnnotation);
}
