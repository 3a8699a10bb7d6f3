import { type ComponentType, lazy } from "react";

/** A view of the console: where it is, and where the navigation shows it. */
export interface View {
  /** As wouter matches it: `/nodes/:name`, `/rollout/:pool?`. */
  readonly path: string;
  readonly title: string;
  /** Absent: the navigation does not show it. */
  readonly group?: "See" | "Change" | "Workloads";
  /** After `g`: goes to the view. */
  readonly key?: string;
  /** Kinds as in the topic `kinds`: where none of them is served, the view is not in the navigation. */
  readonly needs?: readonly string[];
  readonly Component: ComponentType;
}

/** Each view is a file of its own, loaded when it is first shown. */
export const views: readonly View[] = [
  {
    path: "/",
    title: "Fleet",
    group: "See",
    key: "f",
    Component: lazy(async () => ({ default: (await import("../fleet/fleet.tsx")).Fleet })),
  },
  {
    path: "/rollout/:pool?/:name?",
    title: "Rollout",
    group: "See",
    key: "r",
    needs: ["MachineConfigPool.machineconfiguration.openshift.io", "NodePool.hypershift.openshift.io"],
    Component: lazy(async () => ({ default: (await import("../rollout/rollout.tsx")).Rollout })),
  },
  {
    path: "/nodes/:name",
    title: "Node",
    Component: lazy(async () => ({ default: (await import("../node/node-view.tsx")).NodeView })),
  },
  {
    path: "/clusters",
    title: "Clusters",
    group: "See",
    key: "c",
    needs: ["NodePool.hypershift.openshift.io"],
    Component: lazy(async () => ({ default: (await import("../clusters/clusters.tsx")).Clusters })),
  },
  {
    path: "/design/:profile?",
    title: "Design",
    group: "Change",
    key: "d",
    needs: ["PerformanceProfile.performance.openshift.io", "NodePool.hypershift.openshift.io"],
    Component: lazy(async () => ({ default: (await import("../design/designer.tsx")).Designer })),
  },
  {
    path: "/plan",
    title: "Plan",
    group: "Change",
    key: "p",
    Component: lazy(async () => ({ default: (await import("../plan/plan-view.tsx")).Plan })),
  },
  {
    path: "/partitioning",
    title: "Partitioning",
    group: "Workloads",
    key: "w",
    Component: lazy(async () => ({ default: (await import("../partitioning/partitioning.tsx")).Partitioning })),
  },
  {
    path: "/scylla",
    title: "Scylla",
    group: "Workloads",
    key: "s",
    needs: ["ScyllaNodeConfig.scylla.scylladb.com"],
    Component: lazy(async () => ({ default: (await import("../scylla/scylla.tsx")).Scylla })),
  },
];
