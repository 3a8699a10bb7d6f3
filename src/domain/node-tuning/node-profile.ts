import type { KubeObject, ObjectMeta } from "../../language/object/meta.ts";
import { apiVersion, deferredAnnotation, inputsAnnotation, type Profile, type ProfileText } from "./api.ts";
import type { Rule } from "./rule.ts";

/** What a decision needs of a Node. */
export interface NodeFacts extends KubeObject {
  metadata: ObjectMeta;
  spec?: { providerID?: string };
  status?: { conditions?: { type: string; status: string }[] };
}

/** The Profile of a node for which a rule has won. `inputs`: what the shipped protocol has beside it. */
export function nodeProfile(input: {
  node: NodeFacts;
  rule: Rule;
  texts: readonly ProfileText[];
  namespace: string;
  inputs?: string;
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
