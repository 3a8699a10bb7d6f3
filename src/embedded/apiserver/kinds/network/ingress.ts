import type { Ingress, IngressBackend } from "kubernetes-types/networking/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, invalid, notSupported, required } from "../../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, orNone, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

/** A plain kind: no controller of this server acts on it. */
export const ingress = defineKind({
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  plural: "ingresses",
  shortNames: ["ing"],
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "Class",
      typed<Ingress>(({ spec }) => orNone(spec?.ingressClassName ?? "")),
    ),
    stringColumn(
      "Hosts",
      typed<Ingress>(({ spec }) => (spec?.rules ?? []).flatMap(({ host }) => host ?? []).join(",") || "*"),
    ),
    stringColumn(
      "Address",
      typed<Ingress>(({ status }) =>
        (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname).join(","),
      ),
    ),
    stringColumn(
      "Ports",
      typed<Ingress>(({ spec }) => ((spec?.tls ?? []).length > 0 ? "80, 443" : "80")),
    ),
    ageColumn,
  ],
  strategy: {
    prepareForCreate: (object) => {
      object.status = { loadBalancer: {} };
    },
    validate,
    hasGeneration: true,
    ignoredFields: ["status"],
  },
  subresources: { status: { type: "status" } },
});

function validate(object: KubeObject): FieldError[] {
  const { defaultBackend, rules: given } = (object as Ingress).spec ?? {};
  const rules = given ?? [];
  if (!defaultBackend && rules.length === 0)
    return [invalid("spec", [], "either `defaultBackend` or `rules` must be specified")];
  const errors = defaultBackend ? validateBackend(defaultBackend, "spec.defaultBackend") : [];
  for (const [index, { http }] of rules.entries()) {
    // The server reads a list that is absent as null.
    const paths = http?.paths ?? [];
    if (http && paths.length === 0) errors.push(required(`spec.rules[${index}].http.paths`));
    for (const [at, { path = "", pathType, backend }] of paths.entries()) {
      const field = `spec.rules[${index}].http.paths[${at}]`;
      if (!pathType) errors.push(required(`${field}.pathType`, "pathType must be specified"));
      else if (!pathTypes.includes(pathType)) errors.push(notSupported(`${field}.pathType`, pathType, pathTypes));
      if (!path.startsWith("/") && !(pathType === "ImplementationSpecific" && path === ""))
        errors.push(invalid(`${field}.path`, path, "must be an absolute path"));
      errors.push(...validateBackend(backend ?? {}, `${field}.backend`));
    }
  }
  return errors;
}

function validateBackend({ service, resource }: IngressBackend, at: string): FieldError[] {
  if (service && resource) return [invalid(at, "", "cannot set both resource and service backends")];
  if (!service && !resource) return [invalid(at, "", "resource or service backend is required")];
  if (service && !service.name) return [required(`${at}.service.name`)];
  if (service && !service.port?.name && !service.port?.number) return [required(at, "port name or number is required")];
  return [];
}
