import { forbidden, StatusError } from "../status-error.ts";
import type { Attributes, Decision, User } from "./user.ts";

/** The refusal of a request that nobody allowed. */
export function denied(user: User, attributes: Attributes, decision: Decision): StatusError {
  const why = decision.reason ? `: ${decision.reason}` : "";
  const who = `User ${JSON.stringify(user.name)} cannot ${attributes.verb}`;
  if (attributes.type === "path") {
    const message = withoutMarkup(`${who} path ${JSON.stringify(attributes.path)}`);
    return new StatusError(403, "Forbidden", `forbidden: ${message}${why}`, {});
  }
  const { resource, subresource, group, namespace, name } = attributes;
  const what = JSON.stringify(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : "at the cluster scope";
  const message = withoutMarkup(`${who} resource ${what} in API group ${JSON.stringify(group)} ${where}`);
  return forbidden(group, resource, name, message + why);
}

/** Names come from the client, and a browser may show the answer. */
function withoutMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
