import type { FleetRow } from "../../src/domain/fleet/fleet-row.ts";
import type { NodeStory } from "../../src/domain/fleet/node-story.ts";
import type { SettingExplanation } from "../../src/domain/node-tuning/explain/settings.ts";
import type { CacheText } from "../../src/language/cpu/load-caches.ts";
import type { TopologyText } from "../../src/language/cpu/topology-text.ts";

/**
 * A row of the topic `node/NAME` has one of these, by its key: `row`, `about`, `rules`, `chain`, `boot`, `cpus`, `setting/…`,
 * `text/FILE`. Parts that the user may not see are absent, and the sources say why.
 */
export interface NodePart {
  readonly row?: NodeFleetRow;
  readonly about?: NodeAbout;
  readonly rules?: Pick<NodeStory, "rules" | "tuneds">;
  readonly chain?: NodeStory["chain"];
  readonly boot?: NonNullable<NodeStory["boot"]>;
  readonly cpus?: NodeCpus;
  readonly setting?: NodeSetting;
  readonly text?: string;
}

export interface NodeFleetRow extends FleetRow {
  /** Healthy nodes of the same pool with the same layout, those with the same profile first. */
  readonly peers: readonly string[];
  /** A lab runs it: its values are read in another way, which needs another right. */
  readonly virtual: boolean;
}

export type NodeAbout = Omit<NodeStory, "rules" | "tuneds" | "chain" | "settings" | "boot">;

export interface NodeSetting extends SettingExplanation {
  /** Its place among the settings. */
  readonly at: number;
}

export interface NodeCpus {
  /** Absent: no agent has reported it. */
  readonly topology?: TopologyText;
  readonly caches?: readonly CacheText[];
  /** The PerformanceProfile that divides the CPUs. Absent: none does. */
  readonly profile?: string;
  /** Cpusets by role: in force where the node reports them, and otherwise as the PerformanceProfile wants them. */
  readonly sets: CpusetsByRole;
  /** Whether `sets` are those that the PerformanceProfile wants, because the node does not report its own. */
  readonly unreported?: true;
  /** What the PerformanceProfile wants, where that is not in force. */
  readonly wanted?: CpusetsByRole;
  /** The cpuset that serves interrupts, where it is known. */
  readonly irq?: string;
}

export type CpusetsByRole = Readonly<
  Partial<Record<"reserved" | "isolated" | "shared" | "ovsDpdk" | "offlined" | "scylla", string>>
>;
