import type { LoadBalancerStatus, Service, ServicePort } from "kubernetes-types/core/v1.js";
import type { Column } from "../../../resource.ts";
import { ageColumn, nameColumn, orNone, stringColumn, typed } from "../../columns.ts";

const service = (cell: (object: Service) => unknown) => typed<Service>(cell);

export const columns: readonly Column[] = [
  nameColumn,
  stringColumn(
    "Type",
    service(({ spec }) => spec?.type),
  ),
  stringColumn(
    "Cluster-IP",
    service(({ spec }) => orNone(spec?.clusterIPs?.[0] ?? "")),
  ),
  stringColumn("External-IP", service(outside)),
  stringColumn(
    "Port(s)",
    service(({ spec }) => orNone((spec?.ports ?? []).map(shown).join(","))),
  ),
  ageColumn,
  stringColumn(
    "Selector",
    service(({ spec }) =>
      orNone(
        Object.entries(spec?.selector ?? {})
          .map((pair) => pair.join("="))
          .toSorted()
          .join(","),
      ),
    ),
    1,
  ),
];

function shown({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function outside({ spec = {}, status = {} }: Service): string {
  const { type, externalIPs = [], externalName = "" } = spec;
  if (!type) return "<unknown>";
  if (type === "ExternalName") return externalName;
  if (type !== "LoadBalancer") return orNone(externalIPs.join(","));
  const balanced = balancers(status.loadBalancer);
  return [...(balanced === "" ? [] : [balanced]), ...externalIPs].join(",") || "<pending>";
}

function balancers({ ingress = [] }: LoadBalancerStatus = {}): string {
  const all = new Set(ingress.map(({ ip, hostname }) => ip || hostname || "").filter((name) => name !== ""));
  return [...all].toSorted().join(",");
}
