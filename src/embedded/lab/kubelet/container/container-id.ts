import { hashText } from "../../../../language/object/hash.ts";

/** Of one run of a container. The container that holds the namespaces of a pod has the name `POD`. */
export function containerId(podUid: string, name: string, restart: number): string {
  return hashText(`${podUid}/${name}/${restart}`);
}
