import type { MachineContents } from "../../../domain/machine-config/machine-contents.ts";
import type { UnitStep } from "../../engine/unit-step.ts";
import type { Host } from "../../host/host.ts";
import { type At, machineConfigOwner as unit } from "./place-step.ts";

/** What the node must bring itself: Attune installs no kernel, package or operating system. Each is named where it lacks. */
export async function planSystem(contents: MachineContents, { config: from, host }: At): Promise<UnitStep[]> {
  const { kernelType, extensions, fips, osImageURL } = contents;
  const steps: UnitStep[] = [];
  const finding = (option: string, message: string): number =>
    steps.push({ unit, option, from, type: "skipped", message });
  if (kernelType !== "default" && !(await hasKernel(kernelType, host)))
    finding("kernelType", `the node does not run a kernel of type ${kernelType}: install one, and boot it`);
  const missing = await missingExtensions(extensions, host);
  if (missing.length > 0) finding("extensions", `the node lacks packages of extensions: ${missing.join(", ")}`);
  if (osImageURL !== "") finding("osImageURL", "the node keeps its operating system: its image is not replaced");
  if (fips && (await textOf("/proc/sys/crypto/fips_enabled", host)) !== "1")
    steps.push({
      unit,
      option: "fips",
      from,
      type: "impossible",
      message: "a running node cannot be switched to FIPS",
    });
  return steps;
}

async function hasKernel(type: "realtime" | "64k-pages", host: Host): Promise<boolean> {
  if (type === "realtime") return (await textOf("/sys/kernel/realtime", host)) === "1";
  const size = await host.run(["getconf", "PAGESIZE"]);
  return size.type === "exited" && size.stdout.trim() === "65536";
}

/** Packages of each extension. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  "two-node-ha": ["pacemaker", "pcs", "fence-agents-all"],
  ipsec: ["NetworkManager-libreswan", "libreswan", "openvswitch3.5-ipsec"],
  usbguard: ["usbguard"],
  kerberos: ["krb5-workstation", "libkadm5"],
  "kernel-devel": ["kernel-devel", "kernel-headers"],
  "sandboxed-containers": ["kata-containers"],
  sysstat: ["sysstat"],
};

/** What a package manager would be asked for: missing packages of wanted extensions, and present ones of no wanted one. Sorted. */
export function extensionChange(
  installed: readonly string[],
  extensions: readonly string[],
): { readonly install: readonly string[]; readonly uninstall: readonly string[] } {
  const wanted = new Set(extensions.flatMap((name) => packagesOf[name] ?? [name]));
  const managed = new Set(Object.values(packagesOf).flat());
  return {
    install: [...wanted].filter((name) => !installed.includes(name)).toSorted(),
    uninstall: installed.filter((name) => managed.has(name) && !wanted.has(name)).toSorted(),
  };
}

async function missingExtensions(extensions: readonly string[], host: Host): Promise<readonly string[]> {
  const { install } = extensionChange([], extensions);
  const found: string[] = [];
  for (const name of install) {
    const answer = await host.run(["rpm", "-q", name]);
    if (answer.type === "exited" && answer.code === 0) found.push(name);
  }
  return extensionChange(found, extensions).install;
}

async function textOf(path: string, host: Pick<Host, "read">): Promise<string> {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trim() : "";
}
