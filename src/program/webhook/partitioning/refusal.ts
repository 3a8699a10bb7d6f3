import type { Problem } from "../../../domain/workload-partitioning/admission.ts";
import type { AdmissionRequest, Decision } from "../handler.ts";

type Denial = Decision & { readonly type: "deny" };

/** The answer of kube-apiserver's own admission: one error for all invalid fields, or the first other problem. */
export function refusal(problems: readonly Omit<Problem, "code">[], request: AdmissionRequest): Denial {
  const { kind, resource } = request;
  const name = request.name || request.object?.metadata.generateName || "";
  const other = problems.find(({ status }) => status !== 422);
  if (other?.status === 404) return { type: "deny", code: 404, reason: "NotFound", message: other.message };
  if (other)
    return {
      type: "deny",
      code: other.status,
      reason: "Forbidden",
      message: `${resource.resource} ${JSON.stringify(name)} is forbidden: ${other.message}`,
      details: { name, group: kind.group, kind: resource.resource },
    };
  const texts = problems.map(({ field = "", message }) => `${field}: ${message}`);
  return {
    type: "deny",
    code: 422,
    reason: "Invalid",
    message: `${kind.kind} ${JSON.stringify(name)} is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`}`,
    details: {
      name,
      group: kind.group,
      kind: kind.kind,
      causes: problems.map(({ field = "", reason = "FieldValueInvalid", message }) => ({ reason, field, message })),
    },
  };
}
