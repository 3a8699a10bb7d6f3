import type { KubeObject } from "../../../language/object/meta.ts";

/** Where images of a source may be pulled from instead, by digest. */
export interface MirroredSource {
  source: string;
  mirrors?: string[];
  mirrorSourcePolicy?: "AllowContactingSource" | "NeverContactSource";
}

export interface ImageDigestMirrorSet extends KubeObject {
  spec?: { imageDigestMirrors?: MirroredSource[] };
}

/** The older kind for the same. */
export interface ImageContentSourcePolicy extends KubeObject {
  spec?: { repositoryDigestMirrors?: Omit<MirroredSource, "mirrorSourcePolicy">[] };
}

export interface ClusterImagePolicy extends KubeObject {
  spec: { scopes: string[]; policy: SignaturePolicy };
}

/** Which signatures images need. Keys and certificates are PEM in base64, here and in the files of nodes. */
export interface SignaturePolicy {
  rootOfTrust: {
    policyType: "PublicKey" | "FulcioCAWithRekor" | "PKI";
    publicKey?: { keyData: string; rekorKeyData?: string };
    fulcioCAWithRekor?: {
      fulcioCAData: string;
      rekorKeyData: string;
      fulcioSubject: { oidcIssuer: string; signedEmail: string };
    };
    pki?: {
      caRootsData: string;
      caIntermediatesData?: string;
      pkiCertificateSubject: { email?: string; hostname?: string };
    };
  };
  signedIdentity?: {
    matchPolicy: "MatchRepoDigestOrExact" | "MatchRepository" | "ExactRepository" | "RemapIdentity";
    exactRepository?: { repository: string };
    remapIdentity?: { prefix: string; signedPrefix: string };
  };
}

export const digestMirrorSet = { apiVersion: "config.openshift.io/v1", kind: "ImageDigestMirrorSet" } as const;
export const contentSourcePolicy = {
  apiVersion: "operator.openshift.io/v1alpha1",
  kind: "ImageContentSourcePolicy",
} as const;
export const clusterImagePolicy = { apiVersion: "config.openshift.io/v1", kind: "ClusterImagePolicy" } as const;
