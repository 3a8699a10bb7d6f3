import type { Lookup } from "../resource.ts";
import type { AdmissionPlugin } from "./admission.ts";

/** What each kind itself does to new objects: the priority of a pod, the taint of a node. */
export function kindAdmission(objects: Lookup): AdmissionPlugin {
  return {
    name: "Kind",
    handles: ({ operation, subresource, resource }) =>
      operation === "CREATE" && subresource === "" && resource.strategy.admitCreate !== undefined,
    admit: ({ resource, object }) => {
      if (object) resource.strategy.admitCreate?.(object, objects);
    },
  };
}
