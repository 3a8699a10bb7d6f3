import type { ClockFacts } from "../../../domain/scylla/perftune/host-facts.ts";
import type { Host } from "../../host/host.ts";
import { textOf } from "./text-of.ts";

const folder = "/sys/devices/system/clocksource/clocksource0";

export async function readClock(host: Host): Promise<ClockFacts> {
  const [virtualisation, architecture, available, current] = await Promise.all([
    virtualisationOf(host),
    architectureOf(host),
    textOf(host, `${folder}/available_clocksource`),
    textOf(host, `${folder}/current_clocksource`),
  ]);
  return {
    virtualisation,
    architecture,
    available: (available ?? "").split(/\s+/).filter((name) => name !== ""),
    current: current?.trim() ?? "",
  };
}

/** `--vm`: without it the answer in a container is the container's engine, which says nothing about the clock. */
async function virtualisationOf(host: Host): Promise<string> {
  const answer = await host.run(["systemd-detect-virt", "--vm"]);
  // It exits with 1 on a machine that is not virtual.
  if (answer.type === "exited" && answer.stdout.trim() !== "") return answer.stdout.trim();
  const vendor = `${(await textOf(host, "/sys/class/dmi/id/sys_vendor")) ?? ""} ${(await textOf(host, "/sys/class/dmi/id/product_name")) ?? ""}`;
  if (/Amazon EC2/.test(vendor)) return "amazon";
  if (/Google Compute Engine/.test(vendor)) return "google";
  return /QEMU|KVM|OpenStack/.test(vendor) ? "kvm" : "none";
}

/** Kernels before 6.1 do not have the file. */
async function architectureOf(host: Host): Promise<string> {
  const file = await textOf(host, "/proc/sys/kernel/arch");
  if (file !== undefined) return file.trim();
  const answer = await host.run(["uname", "-m"]);
  return answer.type === "exited" ? answer.stdout.trim() : "";
}
