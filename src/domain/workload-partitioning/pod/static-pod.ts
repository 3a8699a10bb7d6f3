import { at } from "../../../language/object/json.ts";
import type { Review } from "../admission.ts";
import { mirrorAnnotation, sourceAnnotation } from "../names.ts";
import { annotationsOf } from "./pod.ts";

/**
 * Whether the kubelet made this pod from a file or a URL, and rewrote it already. Any client may write the annotation that says
 * so. Only the node that the pod runs on may create its mirror (`system:node:<name>`): other pods are admitted as ordinary ones.
 */
export function isStaticPod({ object, user, release }: Review): boolean {
  const annotations = annotationsOf(object);
  const isAnnotated = Object.hasOwn(annotations, sourceAnnotation) && annotations[sourceAnnotation] !== "api";
  if (!isAnnotated || release.staticPods === "annotated") return isAnnotated;
  const node = at(object, "spec", "nodeName");
  return (
    Object.hasOwn(annotations, mirrorAnnotation) &&
    typeof node === "string" &&
    node !== "" &&
    user.username === `system:node:${node}` &&
    (user.groups ?? []).includes("system:nodes")
  );
}
