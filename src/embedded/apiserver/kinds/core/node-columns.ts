import type { Node, NodeSystemInfo } from "kubernetes-types/core/v1.js";
import type { Column } from "../../resource.ts";
import { ageColumn, nameColumn, orNone, stringColumn, typed } from "../columns.ts";

const info = (name: string, field: keyof NodeSystemInfo): Column =>
  stringColumn(
    name,
    typed<Node>(({ status }) => status?.nodeInfo?.[field] || "<unknown>"),
    1,
  );

const address = (name: string, type: string): Column =>
  stringColumn(
    name,
    typed<Node>(({ status }) => orNone(status?.addresses?.find((one) => one.type === type)?.address ?? "")),
    1,
  );

export const nodeColumns: readonly Column[] = [
  nameColumn,
  stringColumn("Status", typed<Node>(statusOf)),
  stringColumn("Roles", typed<Node>(rolesOf)),
  ageColumn,
  stringColumn(
    "Version",
    typed<Node>(({ status }) => status?.nodeInfo?.kubeletVersion ?? ""),
  ),
  address("Internal-IP", "InternalIP"),
  address("External-IP", "ExternalIP"),
  info("OS-Image", "osImage"),
  info("Kernel-Version", "kernelVersion"),
  info("Container-Runtime", "containerRuntimeVersion"),
];

function statusOf({ status, spec }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const words = [ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown"];
  if (spec?.unschedulable) words.push("SchedulingDisabled");
  return words.join(",");
}

const rolePrefix = "node-role.kubernetes.io/";

function rolesOf({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    else if (key === "kubernetes.io/role" && value !== "") roles.add(value);
  }
  return orNone([...roles].toSorted().join(","));
}
