import type { PodSpec } from "kubernetes-types/core/v1.js";
import type { TokenRequest } from "kubernetes-types/authentication/v1.js";
import type { Authorizer } from "../../auth/user.ts";
import type { Lookup } from "../../resource.ts";
import { notFound } from "../../status-error.ts";
import { type Attributes, refused } from "../admission.ts";

/** A node may only request tokens bound to its own pods, for audiences that the pods name. */
export function admitNodeToken(attributes: Attributes, node: string, objects: Lookup, authorizer: Authorizer): void {
  const { spec } = attributes.object as unknown as TokenRequest;
  const { apiVersion, kind, name = "", uid = "" } = spec.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || name === "")
    throw refused(attributes, "node requested token not bound to a pod");
  if (uid === "") throw refused(attributes, "node requested token with a pod binding without a uid");
  const pod = objects.head("pods", `${attributes.namespace}/${name}`);
  if (!pod) throw notFound("", "pods", name);
  if (pod.metadata.uid !== uid)
    throw refused(
      attributes,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  const podSpec = pod.spec as PodSpec;
  if (podSpec.nodeName !== node)
    throw refused(attributes, "node requested token bound to a pod scheduled on a different node");

  const audiences = spec.audiences ?? [];
  if (audiences.length > 1) throw refused(attributes, "node may only request 0 or 1 audiences");
  const [audience = ""] = audiences;
  if (isNamedBy(podSpec, audience)) return;
  const { user, namespace } = attributes;
  const decision = authorizer.authorize(user, {
    type: "resource",
    verb: "request-serviceaccounts-token-audience",
    group: "",
    version: "v1",
    resource: audience,
    subresource: "",
    namespace,
    name: attributes.name,
  });
  if (!decision.allowed)
    throw refused(
      attributes,
      `audience ${JSON.stringify(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`,
    );
}

const isNamedBy = ({ volumes }: PodSpec, audience: string): boolean =>
  (volumes ?? []).some(({ projected }) =>
    projected?.sources?.some(
      ({ serviceAccountToken }) => serviceAccountToken && (serviceAccountToken.audience ?? "") === audience,
    ),
  );
