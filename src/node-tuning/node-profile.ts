import type { KubeObject, ObjectMeta } from "../object/meta.ts";
import { apiVersion, type Profile, type ProfileText } from "./api.ts";
import type { Rule } from "./rule.ts";

/** What a decision needs of a Node. */
export interface NodeFacts extends KubeObject {
  metadata: ObjectMeta;
  spec?: { providerID?: string };
}

/** The Profile of a node for which a rule has won. */
export function nodeProfile(input: {
  node: NodeFacts;
  rule: Rule;
  texts: readonly ProfileText[];
  namespace: string;
}): Profile {
  const { node, rule, texts, namespace } = input;
  const { profile, operand = {} } = rule.recommend;
  const providerName = providerOf(node);
  return {
    apiVersion,
    kind: "Profile",
    metadata: { name: node.metadata.name, namespace },
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

/** `aws:///zone/i-0` → `aws` */
export function providerOf(node: NodeFacts): string {
  const id = node.spec?.providerID ?? "";
  const end = id.indexOf("://");
  return end < 0 ? id : id.slice(0, end);
}
