import type { IgnitionFile } from "../../../language/ignition/config.ts";
import { textFile } from "../../../language/ignition/file-contents.ts";
import { isObject, type JsonObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import { required } from "../../../language/schema/field-error.ts";
import type { RenderProblem } from "../culprit.ts";
import { type ClusterImagePolicy, clusterImagePolicy, type SignaturePolicy } from "./api.ts";
import { byName, isOf, type Mirrors } from "./mirrored-sources.ts";

export const policyPath = "/etc/containers/policy.json";
const signaturesPath = "/etc/containers/registries.d/sigstore-registries.yaml";

export interface SignatureFiles {
  readonly files: readonly IgnitionFile[];
  readonly problems: readonly RenderProblem[];
}

/** Which signatures images need on the nodes of a pool, as containers/image reads it. `present`: policy.json otherwise. */
export function signatureFiles(
  objects: readonly KubeObject[],
  { mirrors, present }: { readonly mirrors: readonly Mirrors[]; readonly present: string | undefined },
): SignatureFiles {
  const policies = objects.filter((one) => isOf(one, clusterImagePolicy)).toSorted(byName) as ClusterImagePolicy[];
  const [first] = policies;
  if (!first) return { files: [], problems: [] };
  const missing = policies.flatMap((policy) => missingParts(policy).map((field) => problem(policy, required(field))));
  if (missing.length > 0) return { files: [], problems: missing };
  const document = policyIn(present);
  if (!document) {
    const message = `${policyPath} of a MachineConfig is no JSON object: mend it, or remove it there`;
    return { files: [], problems: [problem(first, { field: "spec", message })] };
  }
  const scopes = policies.flatMap(({ spec }) => spec.scopes);
  return {
    files: [
      textFile(policyPath, 0o644, `${JSON.stringify(withPolicies(document, policies), undefined, 2)}\n`),
      textFile(signaturesPath, 0o644, attachments(scopes, mirrors)),
    ],
    problems: [],
  };
}

function problem(
  { apiVersion, kind, metadata }: KubeObject,
  { field, message }: { field: string; message: string },
): RenderProblem {
  return { object: { apiVersion, kind, name: metadata.name ?? "" }, field, message };
}

/** What a type needs, which no schema says. */
function missingParts({ spec: { policy } }: ClusterImagePolicy): string[] {
  const { policyType, publicKey, fulcioCAWithRekor, pki } = policy.rootOfTrust;
  const { matchPolicy, exactRepository, remapIdentity } = policy.signedIdentity ?? {};
  const root = "spec.policy.rootOfTrust";
  const identity = "spec.policy.signedIdentity";
  const subject = pki?.pkiCertificateSubject;
  return [
    ...(policyType === "PublicKey" && !publicKey ? [`${root}.publicKey`] : []),
    ...(policyType === "FulcioCAWithRekor" && !fulcioCAWithRekor ? [`${root}.fulcioCAWithRekor`] : []),
    ...(policyType === "PKI" && !pki ? [`${root}.pki`] : []),
    ...(policyType === "PKI" && subject && !subject.email && !subject.hostname
      ? [`${root}.pki.pkiCertificateSubject.email`]
      : []),
    ...(matchPolicy === "ExactRepository" && !exactRepository ? [`${identity}.exactRepository`] : []),
    ...(matchPolicy === "RemapIdentity" && !remapIdentity ? [`${identity}.remapIdentity`] : []),
  ];
}

const acceptAnything = [{ type: "insecureAcceptAnything" }];

function policyIn(present: string | undefined): JsonObject | undefined {
  if (present === undefined)
    return { default: acceptAnything, transports: { "docker-daemon": { "": acceptAnything } } };
  try {
    const value: unknown = JSON.parse(present);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Every requirement of a scope must be met: policies of one scope add up. */
function withPolicies(document: JsonObject, policies: readonly ClusterImagePolicy[]): JsonObject {
  const transports = isObject(document["transports"]) ? document["transports"] : {};
  const added = new Map<string, object[]>();
  for (const { spec } of policies)
    for (const scope of new Set(spec.scopes)) added.set(scope, [...(added.get(scope) ?? []), requirement(spec.policy)]);
  const into = (given: unknown): JsonObject => {
    const scopes = isObject(given) ? given : {};
    const both = Array.from(added, ([scope, requirements]) => {
      const known = scopes[scope];
      return [scope, [...(Array.isArray(known) ? known : []), ...requirements]];
    });
    return { ...scopes, ...Object.fromEntries(both) };
  };
  return {
    ...document,
    transports: { ...transports, docker: into(transports["docker"]), atomic: into(transports["atomic"]) },
  };
}

function requirement({ rootOfTrust, signedIdentity }: SignaturePolicy): object {
  const { policyType, publicKey, fulcioCAWithRekor: fulcio, pki } = rootOfTrust;
  const trusted = {
    PublicKey: { keyData: publicKey?.keyData, rekorPublicKeyData: publicKey?.rekorKeyData },
    FulcioCAWithRekor: {
      fulcio: {
        caData: fulcio?.fulcioCAData,
        oidcIssuer: fulcio?.fulcioSubject.oidcIssuer,
        subjectEmail: fulcio?.fulcioSubject.signedEmail,
      },
      rekorPublicKeyData: fulcio?.rekorKeyData,
    },
    PKI: {
      pki: {
        caRootsData: pki?.caRootsData,
        caIntermediatesData: pki?.caIntermediatesData,
        subjectEmail: pki?.pkiCertificateSubject.email,
        subjectHostname: pki?.pkiCertificateSubject.hostname,
      },
    },
  }[policyType];
  return { type: "sigstoreSigned", ...trusted, signedIdentity: identity(signedIdentity) };
}

function identity(given: SignaturePolicy["signedIdentity"]): object {
  const { matchPolicy = "MatchRepoDigestOrExact", exactRepository, remapIdentity } = given ?? {};
  return {
    type: `${matchPolicy[0]?.toLowerCase()}${matchPolicy.slice(1)}`,
    ...(matchPolicy === "ExactRepository" ? { dockerRepository: exactRepository?.repository } : {}),
    ...(matchPolicy === "RemapIdentity" ? remapIdentity : {}),
  };
}

/** Signatures are looked for beside the images: also at mirrors, from which images of the scopes may come. */
function attachments(scopes: readonly string[], mirrors: readonly Mirrors[]): string {
  const mirrored = mirrors
    .filter(({ source }) => scopes.some((scope) => covers(scope, source) || covers(source, scope)))
    .flatMap(({ locations }) => locations);
  const all = [...new Set([...scopes, ...mirrored])].toSorted();
  return writeYaml({ docker: Object.fromEntries(all.map((scope) => [scope, { "use-sigstore-attachments": true }])) });
}

/** Whether a scope has the other one in it. */
function covers(scope: string, other: string): boolean {
  if (scope.startsWith("*.")) return (other.split(/[:/]/, 1)[0] ?? "").endsWith(scope.slice(1));
  return other === scope || (other.startsWith(scope) && /^[/:@]/.test(other.slice(scope.length)));
}
