/** Keys that users, kubelet and CRI-O share with admission. */

/** A pod asks for the CPUs of a workload type: `target.workload.openshift.io/management`. */
export const targetPrefix = "target.workload.openshift.io/";

/** What CRI-O gives a container: `resources.workload.openshift.io/<container>`. */
export const resourcesPrefix = "resources.workload.openshift.io/";

/** Of a namespace: the workload types that its pods may have, separated by commas. */
export const allowedAnnotation = "workload.openshift.io/allowed";

/** Of a pod: why its target annotation was removed. */
export const warningAnnotation = "workload.openshift.io/warning";

/** End of the name of every workload resource. */
export const coresSuffix = "workload.openshift.io/cores";

/** Thousandths of a CPU that a container of the type asks for. */
export const coresOf = (type: string): string => `${type}.${coresSuffix}`;

/** The only effect there is: the pod also runs on nodes that are not partitioned. */
export const preferred = "PreferredDuringScheduling";

/** Of a pod that the kubelet reads from a file or a URL. */
export const sourceAnnotation = "kubernetes.io/config.source";

/** Of the copy of such a pod, which the kubelet creates in the API. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";

/** Of a copy that `oc debug` makes of a pod. */
export const debugAnnotation = "debug.openshift.io/source-resource";

export const mixedCpus = {
  resource: "workload.openshift.io/enable-shared-cpus",
  allowedAnnotation: "workload.mixedcpus.openshift.io/allowed",
  runtimePrefix: "cpu-shared.crio.io/",
} as const;
