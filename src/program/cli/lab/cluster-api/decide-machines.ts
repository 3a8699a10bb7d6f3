import { countOf } from "../../../../embedded/lab/workloads/pods/replicas.ts";
import type { MachineGroup } from "../../../../domain/node-pool/cluster-api.ts";

export interface MachineState {
  readonly name: string;
  /** Of the template as it is now. */
  readonly isCurrent: boolean;
  /** Its Node is ready. */
  readonly isAvailable: boolean;
  readonly isLeaving: boolean;
}

export interface MachinesDecision {
  /** Names of new machines. */
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  readonly status: NonNullable<MachineGroup["status"]>;
}

/** One pass over a MachineDeployment, or over a MachineSet, whose machines are updated in place. */
export function decideMachines(group: MachineGroup, machines: readonly MachineState[]): MachinesDecision {
  const { name = "", generation = 0 } = group.metadata;
  const { replicas = 0, strategy } = group.spec ?? {};
  const { surge, unavailable } = boundsOf(replicas, strategy);
  const isReplaced = group.kind === "MachineDeployment" && strategy?.type !== "OnDelete";
  const staying = machines.filter(({ isLeaving }) => !isLeaving);
  const isWanted = ({ isCurrent }: MachineState): boolean => isCurrent || !isReplaced;
  const wanted = staying.filter(isWanted);
  // A machine that leaves is there until it is gone.
  const room = Math.max(0, Math.min(replicas - wanted.length, replicas + surge - machines.length));
  const outdated = staying.filter((machine) => !isWanted(machine));
  const surplus = wanted.slice(replicas);
  const least = replicas - unavailable;
  let spare = staying.filter(({ isAvailable }) => isAvailable).length - least;
  const deleted = [...outdated, ...surplus]
    .toSorted((a, b) => Number(a.isAvailable) - Number(b.isAvailable))
    .filter(({ isAvailable }) => !isAvailable || spare-- > 0);
  return {
    created: newNames(name, machines, room),
    deleted: deleted.map((machine) => machine.name),
    status: {
      replicas: machines.length,
      updatedReplicas: machines.filter(({ isCurrent, isLeaving }) => isCurrent && !isLeaving).length,
      availableReplicas: staying.filter(({ isAvailable }) => isAvailable).length,
      observedGeneration: generation,
    },
  };
}

/** As of a Deployment. */
function boundsOf(
  replicas: number,
  strategy: NonNullable<MachineGroup["spec"]>["strategy"],
): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge = 1, maxUnavailable = 0 } = strategy?.rollingUpdate ?? {};
  const surge = countOf(maxSurge, replicas, "up");
  const unavailable = Math.min(replicas, countOf(maxUnavailable, replicas, "down"));
  return { surge, unavailable: surge === 0 && unavailable === 0 ? Math.min(replicas, 1) : unavailable };
}

/** Beyond those that are there: a new machine is seldom taken for one that has left. */
function newNames(group: string, machines: readonly MachineState[], count: number): string[] {
  const numbers = machines.map(({ name }) => Number(name.slice(group.length + 1)));
  const last = Math.max(0, ...numbers.filter(Number.isSafeInteger));
  return Array.from({ length: count }, (_, index) => `${group}-${last + index + 1}`);
}
