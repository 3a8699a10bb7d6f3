import type { PolicyRule } from "./policy-rule.ts";

export const ALL = "*";
export const READ = "get list watch";
export const WRITE = "create delete deletecollection patch update";
export const READ_WRITE = "create delete deletecollection get list patch update watch";
/** The verbs of a component that records events. */
export const RECORD = "create patch update";
export const CORE = "";
export const EVENTS = ["", "events.k8s.io"];

/** Verbs, resources and names are separated by spaces. */
export function on(verbs: string, groups: string | readonly string[], resources: string, names?: string): PolicyRule {
  return {
    verbs: verbs.split(" "),
    apiGroups: typeof groups === "string" ? [groups] : groups,
    resources: resources.split(" "),
    ...(names === undefined ? {} : { resourceNames: names.split(" ") }),
  };
}

export function paths(verbs: string, urls: string): PolicyRule {
  return { verbs: verbs.split(" "), nonResourceURLs: urls.split(" ") };
}
