import type { Schema } from "../../../language/schema/schema.ts";

const label = "[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?";
const repository = `${label}(\\.${label})*(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*`;
const image = `${repository}(:[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}|@sha256:[0-9a-f]{64})?`;
const anyHost = `\\*(\\.${label})+`;

const matching = (...patterns: string[]): Schema => ({
  type: "string",
  maxLength: 512,
  pattern: `^(${patterns.join("|")})$`,
});
const text: Schema = { type: "string", minLength: 1, maxLength: 4096 };
/** PEM in base64. */
const encoded: Schema = { type: "string", format: "byte", minLength: 1, maxLength: 32_768 };

function object(properties: Record<string, Schema>, ...required: string[]): Schema {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

function list(items: Schema, maxItems: number): Schema {
  return { type: "array", items, maxItems };
}

function kind(spec: Schema, ...required: string[]): Schema {
  const status: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return object({ spec, status }, ...required);
}

const mirrored = { source: matching(repository, anyHost), mirrors: list(matching(repository), 64) };
const sourcePolicy: Schema = { type: "string", enum: ["", "AllowContactingSource", "NeverContactSource"] };

export const digestMirrorSetSchema = kind(
  object({ imageDigestMirrors: list(object({ ...mirrored, mirrorSourcePolicy: sourcePolicy }, "source"), 1024) }),
);
export const contentSourcePolicySchema = kind(
  object({ repositoryDigestMirrors: list(object(mirrored, "source"), 1024) }),
);

const rootOfTrust = object(
  {
    policyType: { type: "string", enum: ["PublicKey", "FulcioCAWithRekor", "PKI"] },
    publicKey: object({ keyData: encoded, rekorKeyData: encoded }, "keyData"),
    fulcioCAWithRekor: object(
      {
        fulcioCAData: encoded,
        rekorKeyData: encoded,
        fulcioSubject: object({ oidcIssuer: text, signedEmail: text }, "oidcIssuer", "signedEmail"),
      },
      "fulcioCAData",
      "rekorKeyData",
      "fulcioSubject",
    ),
    pki: object(
      {
        caRootsData: encoded,
        caIntermediatesData: encoded,
        pkiCertificateSubject: object({ email: text, hostname: text }),
      },
      "caRootsData",
      "pkiCertificateSubject",
    ),
  },
  "policyType",
);

const signedIdentity = object(
  {
    matchPolicy: {
      type: "string",
      enum: ["MatchRepoDigestOrExact", "MatchRepository", "ExactRepository", "RemapIdentity"],
    },
    exactRepository: object({ repository: matching(image) }, "repository"),
    remapIdentity: object(
      { prefix: matching(repository), signedPrefix: matching(repository) },
      "prefix",
      "signedPrefix",
    ),
  },
  "matchPolicy",
);

export const clusterImagePolicySchema = kind(
  object(
    {
      scopes: { ...list(matching(image, anyHost), 256), minItems: 1 },
      policy: object({ rootOfTrust, signedIdentity }, "rootOfTrust"),
    },
    "scopes",
    "policy",
  ),
  "spec",
);
