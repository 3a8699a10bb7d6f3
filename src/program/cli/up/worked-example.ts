import { machineConfigPoolKind, type MachineConfigPool, roleLabel } from "../../../domain/machine-config/api.ts";
import { apiVersion, type Tuned, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { type PerformanceProfile, performanceProfileKind } from "../../../domain/performance-profile/api.ts";

/** The example of `attune up`: one kernel parameter for nodes with this label. */
export const exampleLabel = "example.attune/quiet";
export const exampleSysctl = { name: "vm.swappiness", path: "/proc/sys/vm/swappiness", value: "11" };

export function exampleTuned(namespace = tuningNamespace): Tuned {
  const { name, value } = exampleSysctl;
  return {
    apiVersion,
    kind: "Tuned",
    metadata: { name: "quiet-memory", namespace },
    spec: {
      profile: [
        {
          name: "quiet-memory",
          data: `[main]\nsummary=Prefer memory to swap\ninclude=openshift-node\n\n[sysctl]\n${name}=${value}\n`,
        },
      ],
      recommend: [{ profile: "quiet-memory", priority: 20, match: [{ label: exampleLabel }] }],
    },
  };
}

/** Where Attune rolls pools out, this node is in a pool of its own. */
const lowLatencyNode = "node-2";
const lowLatency = "low-latency";
const lowLatencyLabel = `node-role.kubernetes.io/${lowLatency}`;

/** Labels of a virtual node: they depend on its name alone, so that the number of nodes may change between starts. */
export function exampleLabels(node: string, mode: "standalone" | "plain"): Record<string, string> {
  const worker = { "node-role.kubernetes.io/worker": "" };
  return { ...worker, [mode === "plain" && node === lowLatencyNode ? lowLatencyLabel : exampleLabel]: "" };
}

export function examplePool(): MachineConfigPool {
  return customPool(lowLatency);
}

/** A pool of the nodes with the role of its name, which also get what is for workers. */
export function customPool(name: string): MachineConfigPool {
  return {
    apiVersion: machineConfigPoolKind.apiVersion,
    kind: machineConfigPoolKind.kind,
    metadata: { name, labels: { [roleLabel]: name } },
    spec: {
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      machineConfigSelector: {
        matchExpressions: [{ key: roleLabel, operator: "In", values: ["worker", name] }],
      },
    },
  };
}

export function examplePerformanceProfile(): PerformanceProfile {
  return {
    apiVersion: performanceProfileKind.apiVersion,
    kind: performanceProfileKind.kind,
    metadata: { name: lowLatency },
    spec: { cpu: { reserved: "0", isolated: "1-3" }, nodeSelector: { [lowLatencyLabel]: "" } },
  };
}

/** What the example does, for a terminal of 80 columns. */
export function exampleText(hasPool: boolean): string[] {
  const { name, value } = exampleSysctl;
  return [
    `Tuned quiet-memory sets ${name} to ${value}`,
    ...(hasPool
      ? [
          `PerformanceProfile ${lowLatency} reserves CPU 0 of the nodes in pool`,
          `${lowLatency} for the system and isolates CPUs 1-3: they restart once`,
        ]
      : []),
  ];
}
