import { unameProbe } from "../../language/tuned/conditions.ts";
import { probeKey } from "../../language/tuned/probe.ts";
import type { NodeTraits } from "../node-tuning/known-nodes.ts";
import type { ProfileFacts } from "../performance-profile/profile-facts.ts";

/** The node once it has restarted with a PerformanceProfile. */
export function afterRestart(traits: NodeTraits, { kernelType, cpus }: ProfileFacts): NodeTraits {
  const { kernelRelease: old, answers } = traits;
  const kernelRelease = old && kernelOf(old, kernelType);
  return {
    ...traits,
    kernelRelease,
    offline: cpus.offlined?.cpus ?? traits.offline,
    answers: answers?.map((answer) =>
      old && kernelRelease && answer.probe === probeKey(unameProbe)
        ? { ...answer, text: answer.text?.replace(old, kernelRelease) }
        : answer,
    ),
  };
}

/** Releases of real-time kernels contain `rt`, and profiles ask for nothing else in them. */
function kernelOf(release: string, type: ProfileFacts["kernelType"]): string {
  if (type === "realtime") return release.includes("rt") ? release : `${release}+rt`;
  return release.replaceAll(/[+.]rt[0-9.]*(?![a-z])/g, "");
}
