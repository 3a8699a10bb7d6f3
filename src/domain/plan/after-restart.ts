import { cpusOf } from "../../language/cpu/cpu-list.ts";
import type { CpuSet } from "../../language/cpu/cpu-set.ts";
import { at } from "../../language/object/json.ts";
import { unameProbe } from "../../language/tuned/conditions.ts";
import { probeKey } from "../../language/tuned/probe.ts";
import type { MachineConfig } from "../machine-config/api.ts";
import type { NodeTraits } from "../node-tuning/known-nodes.ts";

/** The node once it has restarted with a MachineConfig: profiles ask for its kernel and its CPUs. */
export function afterRestart(traits: NodeTraits, { spec }: MachineConfig): NodeTraits {
  const { kernelRelease: old, answers } = traits;
  const kernelRelease = old && kernelOf(old, spec?.kernelType);
  return {
    ...traits,
    kernelRelease,
    offline: switchedOff(spec?.config) ?? traits.offline,
    answers: answers?.map((answer) =>
      old && kernelRelease && answer.probe === probeKey(unameProbe)
        ? { ...answer, text: answer.text?.replace(old, kernelRelease) }
        : answer,
    ),
  };
}

/** Releases of real-time kernels contain `rt`, and profiles ask for nothing else in them. */
function kernelOf(release: string, type: string | undefined): string {
  // Another MachineConfig of the pool may choose the kernel.
  if (!type) return release;
  if (type === "realtime") return release.includes("rt") ? release : `${release}+rt`;
  return release.replaceAll(/[+.]rt[0-9.]*(?![a-z])/g, "");
}

/** As the unit that PerformanceProfiles derive has them. */
function switchedOff(config: unknown): CpuSet | undefined {
  const units = at(config, "systemd", "units");
  const unit: unknown = Array.isArray(units) && units.find((one) => at(one, "name") === "set-cpus-offline.service");
  const [, text] = /\bOFFLINE_CPUS=([\d,-]*)/.exec(String(at(unit, "contents"))) ?? [];
  return text === undefined ? undefined : cpusOf(text);
}
