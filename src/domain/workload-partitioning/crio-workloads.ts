import { filesOf, type IgnitionFile } from "../../language/ignition/config.ts";
import { contentsOf } from "../../language/ignition/file-contents.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";

const folder = "/etc/crio/crio.conf.d/";

/** Files of a MachineConfig that configure the CPUs of a class of workloads in CRI-O. */
export function workloadFiles(machineConfig: KubeObject): readonly IgnitionFile[] {
  return filesOf(at(machineConfig, "spec", "config")).filter(
    (file) => file.path.startsWith(folder) && hasWorkloads(contentsOf(file) ?? ""),
  );
}

/** `[crio.runtime.workloads.management]`, or the table that it is in, with any spaces and quotes. */
function hasWorkloads(toml: string): boolean {
  if (!toml.includes("workloads")) return false;
  return toml.split("\n").some((line) => {
    const header = line.trimStart();
    return header.startsWith("[") && /^\[crio\.runtime\.workloads[.\]]/.test(header.replaceAll(/[\s"']/g, ""));
  });
}
