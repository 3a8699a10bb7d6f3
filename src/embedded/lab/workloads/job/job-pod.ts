import type { Container } from "kubernetes-types/core/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import type { Job, Pod } from "../workload-objects.ts";
import {
  failuresAnnotation,
  failuresBefore,
  ignoredFailuresAnnotation,
  indexAnnotation,
  trackingFinalizer,
} from "./job-fields.ts";
import { judgeFailure } from "./job-policies.ts";

const indexVariable = "JOB_COMPLETION_INDEX";
const longestPrefix = 58;

/** A pod of the Job, with the finalizer that keeps it until it is counted. */
export function jobPod(job: Job): Pod {
  const pod = podFromTemplate(kinds.job, job, job.spec!.template);
  const finalizers = [...new Set([...(pod.metadata.finalizers ?? []), trackingFinalizer])];
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

/** A pod for an index. `replaced` is the failed pod that it replaces. */
export function indexedPod(job: Job, index: number, replaced: Pod | undefined): Pod {
  const pod = jobPod(job);
  const { name = "" } = job.metadata;
  const suffix = `-${index}-`;
  const { spec } = pod;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: `${name.slice(0, longestPrefix - suffix.length)}${suffix}`,
      labels: { ...pod.metadata.labels, [indexAnnotation]: String(index) },
      annotations: {
        ...pod.metadata.annotations,
        [indexAnnotation]: String(index),
        ...(job.spec?.backoffLimitPerIndex !== undefined && failureAnnotations(job, replaced)),
      },
    },
    spec: omitUndefined({
      ...spec!,
      hostname: `${name}-${index}`,
      containers: spec!.containers.map(withIndexVariable),
      initContainers: spec!.initContainers?.map(withIndexVariable),
    }),
  };
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${indexAnnotation}']` };
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef } }] };
}

function failureAnnotations(job: Job, replaced: Pod | undefined): Record<string, string> {
  let { counted, ignored } = replaced ? failuresBefore(replaced) : { counted: 0, ignored: 0 };
  if (replaced) {
    if (judgeFailure(job, replaced).type === "ignore") ignored++;
    else counted++;
  }
  return {
    [failuresAnnotation]: String(counted),
    ...(ignored > 0 && { [ignoredFailuresAnnotation]: String(ignored) }),
  };
}
