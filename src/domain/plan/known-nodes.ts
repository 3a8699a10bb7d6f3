import { coresOf, type CpuTopology } from "../../language/cpu/cpu-topology.ts";
import { cpuSet } from "../../language/cpu/cpu-set.ts";
import { parseTopology } from "../../language/cpu/topology-text.ts";
import { knownAnswers, type NodeTraits } from "../node-tuning/known-answers.ts";
import type { KnownOf } from "./settle.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { ProfileFacts } from "../performance-profile/profile-facts.ts";
import { type Answers, noAnswers } from "../../language/tuned/probe.ts";

/** What the cluster knows of its nodes: from the kubelet, and from the agent's own look at the machine. */
export function traitsOf(
  nodes: readonly KubeObject[],
  profiles: readonly KubeObject[],
): ReadonlyMap<string, NodeTraits> {
  const reports = new Map(profiles.map((profile) => [profile.metadata.name, at(profile, "status", "hardware")]));
  return new Map(
    nodes.map((node) => {
      const hardware = reports.get(node.metadata.name);
      const topology = parseTopology(hardware);
      return [
        node.metadata.name ?? "",
        {
          ...text("kernelRelease", at(node, "status", "nodeInfo", "kernelVersion")),
          ...text("architecture", at(node, "status", "nodeInfo", "architecture")),
          ...text("vendor", at(hardware, "vendor")),
          ...text("pmuName", at(hardware, "pmuName")),
          ...(topology ? { present: presentCpus(topology), offline: topology.offline } : {}),
        },
      ];
    }),
  );
}

function text<K extends string>(key: K, value: unknown): { readonly [key in K]?: string } {
  return typeof value === "string" && value !== "" ? ({ [key]: value } as { readonly [key in K]: string }) : {};
}

function presentCpus(topology: CpuTopology): readonly number[] {
  return cpuSet([...coresOf(topology).flatMap(({ cpus }) => cpus), ...topology.offline]);
}

/** The same node once a performance profile has reached it and it was restarted. */
export function afterRestart(traits: NodeTraits, { kernelType, cpus }: ProfileFacts): NodeTraits {
  const { kernelRelease } = traits;
  return {
    ...traits,
    ...(kernelRelease === undefined ? {} : { kernelRelease: kernelOf(kernelRelease, kernelType) }),
    ...(cpus.offlined ? { offline: cpus.offlined.cpus } : {}),
  };
}

/** Real-time kernels say so in their release; more than that profiles do not ask. */
function kernelOf(release: string, type: ProfileFacts["kernelType"]): string {
  if (type === "realtime") return release.includes("rt") ? release : `${release}+rt`;
  return release.replaceAll(/[+.]rt[0-9.]*(?![a-z])/g, "");
}

/** Nodes that are alike share one set of answers, so that what profiles come to is worked out once for them. */
export function knownOf(traits: (node: string) => NodeTraits | undefined): KnownOf {
  const shared = new Map<string, Answers>();
  return (node) => {
    const of = traits(node);
    if (!of) return noAnswers;
    const key = JSON.stringify(of);
    const answers = shared.get(key) ?? knownAnswers(of);
    shared.set(key, answers);
    return answers;
  };
}
