import { parseFieldSelector } from "../../../language/object/field-selector.ts";
import { SelectorError } from "../../../language/object/label-selector.ts";
import type { Attributes } from "../auth/user.ts";
import { isTrue } from "../request/options.ts";

/** What a URL asks for, before any look-up: the attributes that are authorised. */
export type RequestInfo = Attributes;
export type ResourceRequest = Extract<Attributes, { type: "resource" }>;
type PathRequest = Extract<Attributes, { type: "path" }>;

/** `/api/v1/namespaces/NS/pods/NAME/log` → its parts. Anything else is a plain path. */
export function parseRequest(method: string, path: string, query: URLSearchParams): RequestInfo {
  const other: PathRequest = { type: "path", verb: method.toLowerCase(), path };
  const parts = segments(path);
  if (!parts) return other;
  let group: string;
  let rest: string[];
  if (parts[0] === "api" && parts.length >= 3) [group, rest] = ["", parts.slice(1)];
  else if (parts[0] === "apis" && parts.length >= 4) [group, rest] = [parts[1] as string, parts.slice(2)];
  else return other;
  const [version = "", ...target] = rest;

  let namespace = "";
  let [resource = "", name = "", ...deeper] = target;
  // `namespaces/NS/status` is a subresource of the namespace, `namespaces/NS/pods` are objects in it.
  if (resource === "namespaces" && deeper.length > 0 && !(group === "" && isNamespacePart(deeper[0] as string))) {
    namespace = name;
    [resource = "", name = "", ...deeper] = deeper;
  } else if (resource === "namespaces" && name !== "" && group === "") namespace = name;
  return {
    type: "resource",
    verb: verbOf(method, name, query),
    group,
    version,
    resource,
    // What follows `proxy` is for the kubelet.
    subresource: deeper[0] === "proxy" ? "proxy" : deeper.join("/"),
    namespace,
    name,
  };
}

/**
 * Adds the field selector to what is authorised. As in kube-apiserver, a list or watch with metadata.name=NAME needs only
 * the right to that object.
 */
export function narrowedBySelector(info: RequestInfo, query: URLSearchParams): RequestInfo {
  if (info.type !== "resource") return info;
  const reads = info.verb === "list" || info.verb === "watch";
  if (!reads && info.verb !== "deletecollection") return info;
  const selector = query.get("fieldSelector");
  if (!selector) return info;
  try {
    const fieldSelector = parseFieldSelector(selector);
    const named = reads && fieldSelector.find(({ field, op }) => field === "metadata.name" && op === "=");
    return { ...info, ...(named ? { name: named.value } : {}), fieldSelector };
  } catch (error) {
    // The handler refuses it when it parses the selector.
    if (error instanceof SelectorError) return info;
    throw error;
  }
}

function isNamespacePart(segment: string): boolean {
  return segment === "status" || segment === "finalize";
}

function segments(path: string): string[] | undefined {
  const parts = path.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  try {
    const decoded = parts.map(decodeURIComponent);
    return decoded.every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("/"))
      ? decoded
      : undefined;
  } catch {
    return undefined;
  }
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  switch (method) {
    case "GET":
    case "HEAD":
      if (name !== "") return "get";
      return isTrue(query.get("watch")) ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === "" ? "deletecollection" : "delete";
    default:
      return method.toLowerCase();
  }
}
