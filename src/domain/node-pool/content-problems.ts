import type { KubeObject } from "../../language/object/meta.ts";
import type { FieldError } from "../../language/schema/field-error.ts";
import type { Manifest, ManifestProblem } from "../hosted/envelope/read-manifests.ts";
import {
  containerRuntimeConfigKind,
  kubeletConfigKind,
  type MachineConfig,
  machineConfigKind,
} from "../machine-config/api.ts";
import { generatedRuntime } from "../machine-config/container-runtime-config/runtime-config-kind.ts";
import { generatedKubelet } from "../machine-config/kubelet-config/kubelet-config-kind.ts";
import { unknownFields } from "../machine-config/kubelet-config/read-kubelet-config.ts";
import { readContents } from "../machine-config/read-contents.ts";

/** Objects of caches are never changed: each is read once. */
const known = new WeakMap<KubeObject, readonly FieldError[]>();

/** What the operator of a hosted cluster cannot bring to nodes, known before it is ordered: then the rest of an order can be. */
export function contentProblems({ object, place }: Manifest): ManifestProblem[] {
  const faults = known.get(object) ?? faultsOf(object);
  known.set(object, faults);
  const { kind, metadata } = object;
  return faults.map(({ field, message }) => ({ ...place, kind, name: metadata.name, field, message }));
}

function faultsOf(object: KubeObject): readonly FieldError[] {
  switch (object.kind) {
    case machineConfigKind.kind: {
      const read = readContents((object as MachineConfig).spec);
      return read.type === "problems" ? read.problems : [];
    }
    case kubeletConfigKind.kind:
      return [...generatedKubelet.read(object, []).problems, ...unknownFields(object)];
    case containerRuntimeConfigKind.kind:
      return generatedRuntime.read(object, []).problems;
    default:
      return [];
  }
}
