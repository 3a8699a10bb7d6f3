import type { KubeObject } from "../../../language/object/meta.ts";
import { dns1035Label, dnsSubdomain, pathSegment } from "../../../language/object/names.ts";
import { formatTime } from "../../../language/object/time.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../../language/schema/field-error.ts";
import { nameColumn, since, stringColumn, typed } from "./columns.ts";
import { defineKind } from "./define-kind.ts";

interface APIService {
  readonly spec: {
    readonly group?: string;
    readonly version?: string;
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
    readonly service?: { readonly namespace: string; readonly name: string };
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

const read = (object: KubeObject): APIService => object as unknown as APIService;

/** Which groups are served, and by which server: here always by this one, `Local`. */
export const apiService = defineKind({
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  namespaced: false,
  categories: ["api-extensions"],
  columns: [
    nameColumn,
    stringColumn(
      "Service",
      typed<APIService>(({ spec }) => (spec.service ? `${spec.service.namespace}/${spec.service.name}` : "Local")),
    ),
    stringColumn("Available", typed<APIService>(available)),
    stringColumn("Age", ({ metadata }, now) => since(metadata.creationTimestamp, now)),
  ],
  strategy: {
    prepareForCreate: (object, now) => {
      object.status = { conditions: [local(now)] };
    },
    validate,
    validateName: pathSegment,
    requiresVersion: true,
    ignoredFields: ["status"],
  },
  subresources: { status: { type: "status", validateUpdate: validateStatus } },
});

function local(now: number): object {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: formatTime(now),
    reason: "Local",
    message: "Local APIServices are always available",
  };
}

function available({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === "Available");
  if (!condition) return "Unknown";
  const { status: state, reason } = condition;
  return state !== "True" && reason ? `${state} (${reason})` : state;
}

function validate(object: KubeObject): FieldError[] {
  const { group = "", version = "", groupPriorityMinimum, versionPriority, ...spec } = read(object).spec;
  const name = `${version}.${group}`;
  const errors: FieldError[] = [];
  if (object.metadata.name !== name)
    errors.push(
      invalid(
        "metadata.name",
        object.metadata.name,
        `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`,
      ),
    );
  if (group === "" && version !== "v1")
    errors.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  if (group !== "") for (const why of dnsSubdomain(group)) errors.push(invalid("spec.group", group, why));
  for (const why of dns1035Label(version)) errors.push(invalid("spec.version", version, why));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20_000)
    errors.push(invalid("spec.groupPriorityMinimum", groupPriorityMinimum, "must be positive and less than 20000"));
  if (versionPriority <= 0 || versionPriority > 1000)
    errors.push(invalid("spec.versionPriority", versionPriority, "must be positive and less than 1000"));
  if (spec.service)
    return [...errors, forbidden("spec.service", "this server does not support aggregated API servers")];
  if (spec.caBundle)
    errors.push(
      invalid(
        "spec.caBundle",
        `${Buffer.from(spec.caBundle, "base64").length} bytes`,
        "local APIServices may not have a caBundle",
      ),
    );
  if (spec.insecureSkipTLSVerify)
    errors.push(invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify"));
  return errors;
}

const states = ["True", "False", "Unknown"];

function validateStatus(object: KubeObject): FieldError[] {
  return (read(object).status?.conditions ?? []).flatMap(({ status }, index) =>
    states.includes(status) ? [] : [notSupported(`status.conditions[${index}].status`, status, states)],
  );
}
