import type { ProfileSpec } from "../../domain/node-tuning/api.ts";
import { offlineService, offlineVariable } from "../../domain/performance-profile/machine-config/units.ts";
import { tunedProfileName } from "../../domain/performance-profile/names.ts";
import { cpusOf } from "../../language/cpu/cpu-list.ts";
import { type CpuSet, formatRanges, intersection, union } from "../../language/cpu/cpu-set.ts";
import { type Answers, noAnswers, probeKey } from "../../language/tuned/probe.ts";
import type { Host } from "../host/host.ts";
import { findUnit } from "../host/unit-files.ts";

type Files = Pick<Host, "read" | "list" | "real">;
const folder = "/sys/devices/system/cpu";

/**
 * What a PerformanceProfile is told of the CPUs that are online: those that its machine config has switched off count too. A profile
 * that still wants them off names them itself; one that does not any more has them online after the boot that its boot
 * arguments are made for, and arguments without them would need a second one.
 */
export async function cpusAfterBoot({ profile }: ProfileSpec, host: Files): Promise<Answers> {
  if (!profile?.some(({ name }) => name.startsWith(tunedProfileName("")))) return noAnswers;
  const switchedOff = intersection(await switchedOffByConfig(host), await listed("present", host));
  if (switchedOff.length === 0) return noAnswers;
  const text = `${formatRanges(union(await listed("online", host), switchedOff))}\n`;
  return new Map([[probeKey({ type: "file", path: `${folder}/online` }), { type: "text", text }]]);
}

async function switchedOffByConfig(host: Files): Promise<CpuSet> {
  const found = await findUnit(host, offlineService);
  const texts = found.type === "unit" ? found.unit.values("Service", "Environment") : [];
  const value = texts.map((text) => text.replaceAll('"', "")).find((text) => text.startsWith(`${offlineVariable}=`));
  return cpusOf(value?.slice(offlineVariable.length + 1) ?? "");
}

async function listed(name: "present" | "online", host: Files): Promise<CpuSet> {
  const file = await host.read(`${folder}/${name}`);
  return file.type === "text" ? cpusOf(file.text) : [];
}
