import type { ClockFacts } from "./host-facts.ts";
import type { PerftuneStep } from "./plan.ts";

const folder = "/sys/devices/system/clocksource/clocksource0";

/** Hypervisors that offer the clock of KVM. */
const kvm = ["kvm", "amazon", "google"];

/** The clock that is cheapest to read. */
export function tuneClock({ virtualisation, architecture, available }: ClockFacts): PerftuneStep[] {
  const preferred = kvm.includes(virtualisation) ? "kvm-clock" : architecture === "x86_64" ? "tsc" : undefined;
  if (preferred === undefined) return [note(`No clock source is preferred on ${architecture}: it stays as it is`)];
  if (!available.includes(preferred))
    return [
      note(
        `Clock source ${preferred} is not available (${available.join(", ")}): it stays as it is. Reading time is slower than it could be; check the machine's firmware and boot arguments`,
      ),
    ];
  return [
    note(`clock source ${preferred}`),
    { type: "write", path: `${folder}/current_clocksource`, value: preferred, refusal: "warned" },
  ];
}

function note(text: string): PerftuneStep {
  return { type: "note", text };
}
