import { at, get, isObject, type JsonObject, text } from "../../../../language/object/json.ts";
import { apiVersionOf, parseApiVersion, type KubeObject } from "../../../../language/object/meta.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { invalid, type FieldError } from "../../../../language/schema/field-error.ts";
import type { ActionContext } from "../../resource.ts";
import { badRequest, conflict, invalidObject, notFound } from "../../status-error.ts";
import type { ObjectReader } from "../../storage/store-reader.ts";
import type { Named, ServiceAccountTokens, TokenSubject } from "./service-account-token.ts";

const GROUP = "authentication.k8s.io";
const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

/** Kinds that a token can be bound to. */
const bindable: ReadonlyMap<string, string> = new Map([
  ["Pod", "pods"],
  ["Secret", "secrets"],
  ["Node", "nodes"],
]);

export interface TokenRequestDependencies {
  readonly objects: ObjectReader;
  readonly tokens: ServiceAccountTokens;
}

interface PreparedSpec {
  readonly audiences: string[];
  readonly expirationSeconds: number;
  readonly boundObjectRef?: JsonObject | null;
}

type Place = Pick<ActionContext, "namespace" | "name">;

export function defaultTokenRequest(body: KubeObject): void {
  const spec = isObject(body.spec) ? body.spec : (body.spec = {});
  spec.expirationSeconds ??= DEFAULT_SECONDS;
}

/** Checks that the account exists, and completes the request. */
export function prepareTokenRequest(
  body: KubeObject,
  { namespace, name }: Place,
  { objects, tokens }: TokenRequestDependencies,
  now: string,
): void {
  const { metadata } = body;
  if (metadata.name && metadata.name !== name)
    throw invalidRequest(
      name,
      invalid("metadata.name", metadata.name, "must match the service account name if specified"),
    );
  const { uid = "" } = accountOf(namespace, name, objects).metadata;
  if (metadata.uid && metadata.uid !== uid)
    throw conflict(
      GROUP,
      "TokenRequest",
      name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  // Go clients send `null` for an empty list.
  const { audiences, expirationSeconds = 0, ...bound } = (body.spec ?? {}) as Partial<PreparedSpec>;
  checkSeconds(expirationSeconds);
  body.spec = { ...bound, expirationSeconds, audiences: audiences?.length ? audiences : [tokens.issuer] };
  Object.assign(metadata, { name, namespace, uid, creationTimestamp: now });
  delete body.status;
}

/** `serviceaccounts/token`: a token for the account, bound to an object if the request names one. */
export function issueToken(
  { metadata, spec }: KubeObject,
  { namespace, name }: Place,
  { objects, tokens }: TokenRequestDependencies,
): KubeObject {
  const { audiences, expirationSeconds, boundObjectRef = null } = spec as PreparedSpec;
  const serviceAccount = namedOf(accountOf(namespace, name, objects));
  const bound = boundObjectRef ? boundTo(boundObjectRef, namespace, name, objects) : {};
  const { token, expires } = tokens.issue({ namespace, serviceAccount, ...bound }, audiences, expirationSeconds);
  return {
    kind: "TokenRequest",
    apiVersion: apiVersionOf(GROUP, "v1"),
    metadata,
    spec: { audiences, expirationSeconds, boundObjectRef },
    status: { token, expirationTimestamp: formatTime(expires) },
  };
}

function accountOf(namespace: string, name: string, objects: ObjectReader): KubeObject {
  const account = objects.get("serviceaccounts", `${namespace}/${name}`);
  if (!account) throw notFound("", "serviceaccounts", name);
  return account;
}

function checkSeconds(seconds: number): void {
  const fault = (why: string): Error => invalidRequest("", invalid("spec.expirationSeconds", seconds, why));
  if (seconds < MIN_SECONDS) throw fault("may not specify a duration less than 10 minutes");
  if (seconds > MAX_SECONDS) throw fault("may not specify a duration larger than 2^32 seconds");
}

const invalidRequest = (name: string, error: FieldError): Error => invalidObject(GROUP, "TokenRequest", name, [error]);

/** The object must exist with the given uid; a pod must run under the account. */
function boundTo(
  reference: JsonObject,
  namespace: string,
  account: string,
  objects: ObjectReader,
): Partial<TokenSubject> {
  const [kind, name, uid] = [text(get(reference, "kind")), text(get(reference, "name")), text(get(reference, "uid"))];
  const { group, version } = parseApiVersion(text(get(reference, "apiVersion")));
  const plural = group === "" && (version === "v1" || version === "") ? bindable.get(kind) : undefined;
  if (!plural) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);

  const object = objects.get(plural, kind === "Node" ? name : `${namespace}/${name}`);
  if (!object) throw notFound("", plural, name);
  if (kind === "Pod" && at(object, "spec", "serviceAccountName") !== account)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  if (uid && object.metadata.uid !== uid)
    throw conflict(
      "",
      kind,
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (kind === "Secret") return { secret: namedOf(object) };
  if (kind === "Node") return { node: namedOf(object) };
  return { pod: namedOf(object), node: nodeOf(text(at(object, "spec", "nodeName")), objects) };
}

/** As kube-apiserver: without the Node object a token still says which node its pod is assigned to. */
function nodeOf(name: string, objects: ObjectReader): TokenSubject["node"] {
  const node = objects.get("nodes", name);
  if (node) return namedOf(node);
  return name === "" ? undefined : { name };
}

const namedOf = ({ metadata: { name = "", uid = "" } }: KubeObject): Named => ({ name, uid });
