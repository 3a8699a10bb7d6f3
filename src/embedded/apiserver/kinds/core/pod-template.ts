import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { fromLabelSelector, matchesLabels } from "../../../../language/object/label-selector.ts";
import { annotationKey } from "../../../../language/object/names.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";
import { validateLabels, validateSelector } from "../label-checks.ts";
import { validatePodSpec } from "./pod/validate-spec.ts";

export function validatePodTemplate(template: PodTemplateSpec, at: string): FieldError[] {
  const { metadata, spec } = template;
  return [
    ...validateLabels(metadata?.labels, `${at}.labels`),
    ...Object.keys(metadata?.annotations ?? {}).flatMap((key) =>
      annotationKey(key).map((reason) => invalid(`${at}.annotations`, key, reason)),
    ),
    ...validatePodSpec(spec ?? { containers: [] }, `${at}.spec`),
  ];
}

/** The selector must be set and match the labels of the template. */
export function validateWorkloadSelector(
  selector: LabelSelector | null | undefined,
  template: PodTemplateSpec,
  workload: string,
): FieldError[] {
  const errors = validateSelector(selector, "spec.selector");
  // kube-apiserver requires it of every workload except DaemonSet.
  if (!selector && workload !== "daemonset") errors.push(required("spec.selector"));
  if (selector && !selector.matchLabels && !selector.matchExpressions)
    return [...errors, invalid("spec.selector", selector, `empty selector is invalid for ${workload}`)];
  const labels = template.metadata?.labels;
  if ((errors.length === 0 || !selector) && !matchesLabels(fromLabelSelector(selector), labels))
    errors.push(
      invalid("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`"),
    );
  return errors;
}

/** Pods that a controller replaces must have restartPolicy Always and no deadline. */
export function validateRunsAlways({ spec }: PodTemplateSpec, kind: string): FieldError[] {
  const errors: FieldError[] = [];
  if (spec?.restartPolicy && spec.restartPolicy !== "Always" && spec.containers)
    errors.push(notSupported("spec.template.spec.restartPolicy", spec.restartPolicy, ["Always"]));
  if (spec?.activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden("spec.template.spec.activeDeadlineSeconds", `activeDeadlineSeconds in ${kind} is not Supported`),
    );
  return errors;
}
