import type { Rule } from "../../protocol/topics.ts";

/** `list profiles.tuned.openshift.io in namespace a` */
export function ruleText({ verb, group, resource, namespace }: Rule): string {
  const name = group === "" ? resource : `${resource}.${group}`;
  return `${verb} ${name}${namespace === "" ? "" : ` in namespace ${namespace}`}`;
}

/** The command with which the user sees that the API server says so. */
export function canICommand({ verb, group, resource, namespace }: Rule): string {
  const [plural = "", subresource] = resource.split("/");
  const name = group === "" ? plural : `${plural}.${group}`;
  const where = namespace === "" ? "" : ` -n ${namespace}`;
  return `kubectl auth can-i ${verb} ${name}${subresource ? ` --subresource=${subresource}` : ""}${where}`;
}
