import { parseProfile, type ParsedProfile } from "../parse-profile.ts";
import { openshiftControlPlane } from "./openshift-control-plane.ts";
import { openshiftNode } from "./openshift-node.ts";
import { openshift } from "./openshift.ts";

const texts = {
  openshift,
  "openshift-control-plane": openshiftControlPlane,
  "openshift-node": openshiftNode,
};

/** The profiles that every node has: the lowest layer. */
export function baseProfiles(): Map<string, ParsedProfile> {
  return new Map(Object.entries(texts).map(([name, text]) => [name, parseProfile(text, `${name}/tuned.conf`)]));
}
