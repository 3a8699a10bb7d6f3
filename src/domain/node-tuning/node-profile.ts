import type { KubeObject, ObjectMeta } from "../../language/object/meta.ts";
import { hashOf } from "../../language/object/hash.ts";
import {
  apiVersion,
  deferredAnnotation,
  inputsAnnotation,
  type Profile,
  type ProfileSpec,
  type ProfileText,
  type Tuned,
} from "./api.ts";
import type { Rule } from "./rule.ts";

/** What a decision needs of a Node. */
export interface NodeFacts extends KubeObject {
  metadata: ObjectMeta;
  spec?: { providerID?: string | undefined };
  status?: { conditions?: { type: string; status: string }[] };
}

/** The Profile of a node for which a rule was chosen. `inputs`: the annotation of the shipped protocol. */
export function nodeProfile(input: {
  node: NodeFacts;
  rule: Rule;
  texts: readonly ProfileText[];
  namespace: string;
  inputs?: string | undefined;
}): Profile {
  const { node, rule, texts, namespace, inputs } = input;
  const { profile, operand = {} } = rule.recommend;
  const providerName = providerOf(node);
  const annotations = {
    ...(rule.deferred ? { [deferredAnnotation]: rule.deferred } : {}),
    ...(inputs === undefined ? {} : { [inputsAnnotation]: inputs }),
  };
  return {
    apiVersion,
    kind: "Profile",
    metadata: { name: node.metadata.name, namespace, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
    spec: {
      config: {
        tunedProfile: profile,
        debug: operand.debug ?? false,
        verbosity: operand.verbosity ?? 0,
        tunedConfig: operand.tunedConfig ?? {},
        ...(providerName === "" ? {} : { providerName }),
      },
      profile: [...texts],
    },
  };
}

export function isLinux({ metadata }: NodeFacts): boolean {
  return metadata.labels?.["kubernetes.io/os"] === "linux";
}

/** `aws:///zone/i-0` → `aws` */
export function providerOf(node: NodeFacts): string {
  const id = node.spec?.providerID ?? "";
  const end = id.indexOf("://");
  return end < 0 ? id : id.slice(0, end);
}

/**
 * Identifies what the boot arguments of a Profile are computed from: the Profile alone, so that an edit of another profile
 * requires no new report of the node. The operator and the agent compute it independently and compare.
 */
export function inputsOf(spec: ProfileSpec): string {
  const { config, profile } = spec;
  const { tunedProfile, providerName = "" } = config;
  return hashOf([tunedProfile, providerName, (profile ?? []).map(({ name, data }) => [name, data])]);
}

/** The same under the shipped protocol: the version of the operator, then the generation of every Tuned. */
export function shippedInputs(tuneds: readonly Tuned[], release: string): string {
  const generations = tuneds
    .map(({ metadata: { name = "", generation = 0 } }) => ({ name, generation }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, generation }) => `${name}:${generation}`);
  return [...(release === "" ? [] : [release]), ...generations].join(",");
}

/** Whether a Profile has the same effect as the wanted one. The operator that Attune replaces adds texts that are never used. */
export function carries(spec: ProfileSpec, wanted: ProfileSpec): boolean {
  const { tunedProfile, providerName = "" } = spec.config;
  if (tunedProfile !== wanted.config.tunedProfile || providerName !== (wanted.config.providerName ?? "")) return false;
  const texts = new Map((spec.profile ?? []).map(({ name, data }) => [name, data]));
  return (wanted.profile ?? []).every(({ name, data }) => texts.get(name) === data);
}
