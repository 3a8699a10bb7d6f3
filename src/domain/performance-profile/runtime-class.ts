import type { KubeObject } from "../../language/object/meta.ts";
import type { DerivationInput } from "./derivation.ts";
import { derivedNames } from "./names.ts";

/** Under this name the MachineConfig tells CRI-O how to run such pods. */
export const runtimeHandler = "high-performance";

/** Pods that name it run on the profile's nodes, and may ask CRI-O for quiet CPUs. */
export function runtimeClassOf({ facts }: DerivationInput): KubeObject {
  return {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: derivedNames(facts.name).runtimeClass },
    handler: runtimeHandler,
    scheduling: { nodeSelector: { ...facts.nodeSelector } },
  };
}
