import type { PodSpec } from "kubernetes-types/core/v1.js";
import { mayRunOn, nodeConstraintsOf } from "../scheduler/node-affinity.ts";
import { untolerated } from "../scheduler/tolerations.ts";
import type { Node } from "../workload-objects.ts";
import { daemonTolerations } from "./daemon-pod.ts";

/** `run`: a pod belongs there. `stay`: no new one, but one that is there may stay. */
export type NodeFit = "run" | "stay" | "never";

const noLabels: Readonly<Record<string, string>> = {};

/** Judges nodes for a template. Whether there is room is the scheduler's to say. */
export function nodeFit(spec: PodSpec): (node: Node) => NodeFit {
  const wishes = nodeConstraintsOf(spec);
  const tolerations = daemonTolerations(spec);
  return ({ metadata, spec: node }) => {
    const { name = "", labels = noLabels } = metadata;
    if (spec.nodeName && spec.nodeName !== name) return "never";
    if (!mayRunOn(wishes, { name, labels })) return "never";
    const taints = node?.taints ?? [];
    if (untolerated(taints, tolerations, ["NoExecute"])) return "never";
    return untolerated(taints, tolerations, ["NoSchedule"]) ? "stay" : "run";
  };
}
