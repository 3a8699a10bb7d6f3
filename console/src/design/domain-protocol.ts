import type { Choices } from "../../../src/domain/performance-profile/creator/choices.ts";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import type { CpuTopology } from "../../../src/language/cpu/cpu-topology.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import type { DesignCluster } from "./cluster-objects.ts";
import type { Forecast } from "./forecast.ts";

/** What the page asks the worker, by name, and what it answers. */
export interface DomainCalls {
  /** Everything that is asked later is about this cluster. */
  cluster: { readonly asked: DesignCluster; readonly answered: null };
  forecast: { readonly asked: PerformanceProfile; readonly answered: Forecast };
  propose: { readonly asked: ProposeInput; readonly answered: Proposal };
  /** In the newest version, whatever version the server stores. */
  convert: { readonly asked: KubeObject; readonly answered: PerformanceProfile };
  /** As YAML. */
  write: { readonly asked: PerformanceProfile; readonly answered: string };
}

export interface ProposeInput {
  readonly choices: Choices;
  readonly pool: string;
  /** All nodes of the cluster are in it. */
  readonly isNodePool: boolean;
  /** Where no agent has reported the hardware: what was typed. */
  readonly assumed?: CpuTopology | undefined;
}

export type Proposal =
  | { readonly type: "proposed"; readonly profile: PerformanceProfile; readonly warnings: readonly string[] }
  | { readonly type: "refused"; readonly reasons: readonly string[] };

export interface DomainRequest<Name extends keyof DomainCalls = keyof DomainCalls> {
  readonly id: number;
  readonly name: Name;
  readonly asked: DomainCalls[Name]["asked"];
}

export type DomainReply =
  | { readonly id: number; readonly answered: unknown; readonly ms: number }
  | { readonly id: number; readonly failed: string };
