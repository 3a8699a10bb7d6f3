import { at } from "../../../../language/object/json.ts";
import { type Check, plural, quoted, type SecuredPod, those } from "./pod-shape.ts";

/** Before the field there was an annotation for each container, which still counts. */
const prefix = "container.apparmor.security.beta.kubernetes.io/";

/** No part of a pod may run without AppArmor where the node has it. */
export const appArmorProfile: Check = (pod) => {
  const { who, of } = those(pod, (context) => at(context, "appArmorProfile", "type") === "Unconfined");
  const annotations = forbiddenAnnotations(pod);
  const values = [...(of.length > 0 ? ["Unconfined"] : []), ...annotations];
  const setters = [who, annotations.length > 0 ? plural("annotation", annotations) : ""].filter((text) => text !== "");
  return values.length === 0
    ? undefined
    : {
        reason: plural("forbidden AppArmor profile", values),
        detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
      };
};

function forbiddenAnnotations({ metadata }: SecuredPod): string[] {
  return Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(prefix) && !isAllowed(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .toSorted();
}

const isAllowed = (profile: string): boolean =>
  profile === "" || profile === "runtime/default" || profile.startsWith("localhost/");
