import type { Container } from "../../../language/cpu/qos-class.ts";
import { cpuForCores, millicores } from "../../../language/cpu/shares.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { isQuantity } from "../../../language/object/quantity.ts";
import { coresOf, resourcesPrefix, warningAnnotation } from "../names.ts";
import { amount, annotationsOf, containersOf } from "./pod.ts";
import { readCpu } from "./resource-annotation.ts";
import { targetOf } from "./target.ts";

/** What became of a stored pod's request for reserved CPUs, line by line. */
export function explainPod(pod: KubeObject): string[] {
  const annotations = annotationsOf(pod);
  const target = targetOf(annotations);
  if (target.type === "invalid") return [`was not admitted: ${target.problem.message}`];
  if (target.type === "none") {
    const warning = Object.hasOwn(annotations, warningAnnotation) ? annotations[warningAnnotation] : undefined;
    return [warning === undefined ? "does not ask for reserved CPUs" : `runs on ordinary CPUs: ${warning}`];
  }
  const { workload } = target;
  return [`runs on the CPUs of workload type ${workload}`, ...containersOf(pod).map(storyOf)];

  function storyOf({ name, resources }: Container): string {
    const key = resourcesPrefix + name;
    const told = Object.hasOwn(annotations, key) ? readCpu(annotations[key] ?? "") : undefined;
    const cores = amount(resources?.requests, coresOf(workload));
    if (amount(resources?.requests, "cpu") !== undefined)
      return `container ${name}: has a CPU request, so admission did not see the pod`;
    const counted =
      cores !== undefined && isQuantity(cores) ? `${millicores(cpuForCores(cores))} millicores` : "no CPU";
    const shares = told ? `, ${told.shares} shares` : "";
    return `container ${name}: ${counted}${shares}${told && told.limit > 0n ? `, at most ${told.limit} millicores` : ""}`;
  }
}
