import type { KubeletConfig, MachineConfig } from "../machine-config/api.ts";
import type { Tuned } from "../node-tuning/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { DerivationInput } from "./derivation.ts";
import type { FieldFinding } from "../finding.ts";
import { kubeletConfigOf } from "./kubelet-config/kubelet-config.ts";
import { machineConfigOf } from "./machine-config/machine-config.ts";
import { refusals } from "./refusals.ts";
import { tunedOf } from "./tuned.ts";
import { derivedNames, runtimeHandler } from "./names.ts";

export type Derivation =
  | {
      readonly type: "derived";
      readonly machineConfig: MachineConfig;
      readonly kubeletConfig: KubeletConfig;
      readonly tuned: Tuned;
      readonly runtimeClass: KubeObject;
    }
  | { readonly type: "refused"; readonly findings: readonly FieldFinding[] };

/** The four objects of a profile, without owner references: the writer adds them. */
export function derive(input: DerivationInput): Derivation {
  const findings = refusals(input);
  if (findings.length > 0) return { type: "refused", findings };
  return {
    type: "derived",
    machineConfig: machineConfigOf(input),
    kubeletConfig: kubeletConfigOf(input),
    tuned: tunedOf(input),
    runtimeClass: runtimeClassOf(input),
  };
}

/** Pods with this class run on the profile's nodes, and may ask CRI-O for CPUs without interruptions. */
export function runtimeClassOf({ facts }: DerivationInput): KubeObject {
  return {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: derivedNames(facts.name).runtimeClass },
    handler: runtimeHandler,
    scheduling: { nodeSelector: { ...facts.nodeSelector } },
  };
}
