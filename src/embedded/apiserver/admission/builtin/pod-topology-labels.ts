import type { Binding, Pod } from "kubernetes-types/core/v1.js";
import type { Lookup } from "../../resource.ts";
import type { AdmissionPlugin } from "../admission.ts";

const copied = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

/** Copies the zone and region labels of the node to a pod that is bound to it. */
export function podTopologyLabels(objects: Lookup): AdmissionPlugin {
  return {
    name: "PodTopologyLabels",
    handles: ({ operation, resource, subresource, object }) =>
      operation === "CREATE" &&
      resource.plural === "pods" &&
      resource.group === "" &&
      (subresource === "binding" || (subresource === "" && Boolean((object as Pod).spec?.nodeName))),
    admit: ({ object, subresource }) => {
      if (!object) return;
      const name = subresource === "binding" ? boundTo(object as unknown as Binding) : (object as Pod).spec?.nodeName;
      const labels = name ? objects.head("nodes", name)?.metadata.labels : undefined;
      if (!labels) return;
      for (const label of copied)
        if (Object.hasOwn(labels, label))
          object.metadata.labels = { ...object.metadata.labels, [label]: labels[label] as string };
    },
  };
}

const boundTo = ({ target }: Binding): string | undefined => (target?.kind === "Node" ? target.name : undefined);
