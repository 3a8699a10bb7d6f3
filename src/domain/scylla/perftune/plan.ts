import type { CpuSet } from "../../../language/cpu/cpu-set.ts";
import type { PerftuneAction } from "./action.ts";

/** What a run does, or why it does nothing. */
export type PerftunePlan = PlannedSteps | PerftuneRefusal;

export interface PlannedSteps {
  readonly type: "planned";
  readonly steps: readonly PerftuneStep[];
}

/** What the user reads, or what is changed: in the order in which it is printed and made. */
export type PerftuneStep = { readonly type: "note"; readonly text: string } | PerftuneAction;

export interface PerftuneRefusal {
  readonly type: "refused";
  readonly problem: string;
  /** 3: the kernel does not show the topology that automatic masks need. */
  readonly exitCode: 1 | 3;
}

export interface PerftuneMasks {
  /** All CPUs that the run may use. */
  readonly universe: CpuSet;
  readonly irq: CpuSet;
  /** What is left to the database. */
  readonly compute: CpuSet;
}
