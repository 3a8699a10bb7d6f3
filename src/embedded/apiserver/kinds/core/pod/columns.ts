import type { Pod } from "kubernetes-types/core/v1.js";
import type { Column } from "../../../resource.ts";
import { ageColumn, nameColumn, orNone, since, stringColumn, typed } from "../../columns.ts";
import { summarise } from "./summary.ts";

export const podColumns: readonly Column[] = [
  nameColumn,
  stringColumn(
    "Ready",
    typed<Pod>((pod) => {
      const { ready, containers } = summarise(pod);
      return `${ready}/${containers}`;
    }),
  ),
  stringColumn(
    "Status",
    typed<Pod>((pod) => summarise(pod).reason),
  ),
  stringColumn(
    "Restarts",
    typed<Pod>((pod, now) => {
      const { restarts, lastRestart } = summarise(pod);
      return restarts > 0 && lastRestart ? `${restarts} (${since(lastRestart, now)} ago)` : String(restarts);
    }),
  ),
  ageColumn,
  stringColumn(
    "IP",
    typed<Pod>(({ status }) => orNone(status?.podIPs?.[0]?.ip ?? status?.podIP ?? "")),
    1,
  ),
  stringColumn(
    "Node",
    typed<Pod>(({ spec }) => orNone(spec?.nodeName ?? "")),
    1,
  ),
  stringColumn(
    "Nominated Node",
    typed<Pod>(({ status }) => orNone(status?.nominatedNodeName ?? "")),
    1,
  ),
  stringColumn("Readiness Gates", typed<Pod>(readinessGates), 1),
];

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) =>
    status?.conditions?.some(({ type, status: is }) => type === conditionType && is === "True"),
  );
  return `${open.length}/${gates.length}`;
}
