import type { CertificateSigningRequest } from "kubernetes-types/certificates/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import { humanDuration } from "../../../language/object/time.ts";
import { type FieldError, invalid, required } from "../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "./columns.ts";
import { defineKind } from "./define-kind.ts";

const specOf = (object: KubeObject): Partial<CertificateSigningRequest["spec"]> =>
  ((object as unknown as CertificateSigningRequest).spec ??= {} as CertificateSigningRequest["spec"]);

/** A plain kind: requests are stored and can be approved, but this server has no signer. */
export const certificateSigningRequest = defineKind({
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  shortNames: ["csr"],
  namespaced: false,
  selectableFields: { "spec.signerName": (object) => specOf(object).signerName ?? "" },
  columns: [
    nameColumn,
    ageColumn,
    stringColumn("SignerName", (object) => specOf(object).signerName),
    stringColumn("Requestor", (object) => specOf(object).username),
    stringColumn("RequestedDuration", (object) => durationOf(specOf(object))),
    stringColumn(
      "Condition",
      typed<CertificateSigningRequest>(({ status }) => {
        const types = (status?.conditions ?? []).map(({ type }) => type);
        return [...(types.length > 0 ? types : ["Pending"]), ...(status?.certificate ? ["Issued"] : [])].join(",");
      }),
    ),
  ],
  strategy: {
    // The requester is who the server authenticated, whatever the body says.
    prepareForCreate: (object, _now, user) => {
      const { username, uid, groups, extra, ...asked } = specOf(object);
      object.spec = { ...asked, username: user.name, ...(user.uid ? { uid: user.uid } : {}), groups: [...user.groups] };
      object.status = {};
    },
    prepareForUpdate: (object, old) => {
      object.spec = old.spec;
    },
    validate,
    anyFinalizer: true,
    ignoredFields: ["spec", "status"],
  },
  subresources: { approval: { type: "status" }, status: { type: "status" } },
});

const durationOf = ({ expirationSeconds: seconds }: Partial<CertificateSigningRequest["spec"]>): string =>
  seconds === undefined ? "<none>" : humanDuration(seconds * 1000);

function validate(object: KubeObject): FieldError[] {
  const { request, signerName, usages = [] } = specOf(object);
  const errors: FieldError[] = [];
  if (!Buffer.from(request ?? "", "base64").includes("-----BEGIN CERTIFICATE REQUEST-----"))
    errors.push(invalid("spec.request", request ?? null, "PEM block type must be CERTIFICATE REQUEST"));
  if (usages.length === 0) errors.push(required("spec.usages"));
  if (!signerName) errors.push(required("spec.signerName"));
  return errors;
}
