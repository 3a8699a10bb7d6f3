import * as parameters from "./parameters.ts";
import type { GroupVersionKind } from "../../../language/object/meta.ts";
import { servedSubresources } from "../discovery/subresources.ts";
import type { Resource, Verb } from "../resource.ts";
import { bodyName, componentName, META, refTo, capitalised, operationPrefix, scoped, tagOf } from "./names.ts";
import { connectPaths } from "./connect-paths.ts";
import type { Parameter, PathItem } from "./parameters.ts";

type Content = Record<string, { schema: { $ref: string } }>;

interface Operation {
  readonly method: "get" | "put" | "post" | "delete" | "patch";
  /** As in `listAppsV1NamespacedDaemonSet`. */
  readonly id: string;
  readonly action: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly content: Content; readonly required?: true };
  readonly answer: string;
  readonly codes: readonly number[];
}

const CODES: Record<number, string> = { 200: "OK", 201: "Created", 202: "Accepted" };
const PATCH_TYPES = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];

/** Every path of a resource, with its operations. */
export function pathsOf(resource: Resource): Record<string, PathItem> {
  const { group, version, plural, namespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const scope = namespaced ? [parameters.NAMESPACE] : [];
  const paths: Record<string, PathItem> = {};
  const own = { group, version, kind: resource.kind };
  const add = (path: string, shared: readonly Parameter[], operations: readonly Operation[], about = own) => {
    if (operations.length > 0) paths[path] = pathItem(resource, about, [...shared, parameters.PRETTY], operations);
  };

  if (namespaced && resource.verbs.includes("list")) {
    const list = { ...listing(resource), id: `list${operationPrefix(resource)}${resource.kind}ForAllNamespaces` };
    add(`${root}/${plural}`, [], [list]);
  }
  add(collection, scope, collectionOperations(resource));
  const shared = [parameters.NAME, ...scope];
  add(`${collection}/{name}`, shared, itemOperations(resource, resource.verbs, own, ""));
  for (const { name, verbs, kind } of servedSubresources(resource)) {
    const part = resource.subresources[name];
    if (part?.type === "connect") Object.assign(paths, connectPaths(resource, name, part, `${collection}/{name}`));
    else
      add(
        `${collection}/{name}/${name}`,
        shared,
        itemOperations(resource, verbs, kind, capitalised(name)),
        // As kube-apiserver: operations on subresources of a custom kind name the kind itself.
        resource.origin === "custom" ? own : kind,
      );
  }
  return paths;
}

function collectionOperations(resource: Resource): Operation[] {
  const id = `${operationPrefix(resource)}${scoped(resource)}${resource.kind}`;
  const component = componentName(resource, resource.kind);
  const operations: Operation[] = [];
  if (resource.verbs.includes("list")) operations.push({ ...listing(resource), id: `list${id}` });
  if (resource.verbs.includes("create")) operations.push(creation(`create${id}`, component));
  if (resource.verbs.includes("deletecollection"))
    operations.push({
      method: "delete",
      id: `delete${operationPrefix(resource)}Collection${scoped(resource)}${resource.kind}`,
      action: "deletecollection",
      parameters: parameters.DELETE_COLLECTION,
      body: { content: content(META.deleteOptions) },
      answer: META.status,
      codes: [200],
    });
  return operations;
}

function itemOperations(
  resource: Resource,
  verbs: readonly Verb[],
  kind: GroupVersionKind,
  suffix: string,
): Operation[] {
  const id = `${operationPrefix(resource)}${scoped(resource)}${resource.kind}${suffix}`;
  const component = bodyName(resource, kind);
  const operations: Operation[] = [];
  if (verbs.includes("get"))
    operations.push({
      method: "get",
      id: `read${id}`,
      action: "get",
      parameters: parameters.READ,
      answer: component,
      codes: [200],
    });
  if (verbs.includes("update"))
    operations.push({
      method: "put",
      id: `replace${id}`,
      action: "put",
      parameters: parameters.WRITE,
      body: { content: content(component), required: true },
      answer: component,
      codes: [200, 201],
    });
  // Objects are created at their collection; at an object, POST is for subresources such as `eviction`.
  if (suffix !== "" && verbs.includes("create")) operations.push(creation(`create${id}`, component));
  if (verbs.includes("delete"))
    operations.push({
      method: "delete",
      id: `delete${id}`,
      action: "delete",
      parameters: parameters.DELETE,
      body: { content: content(META.deleteOptions) },
      answer: META.status,
      codes: [200, 202],
    });
  if (verbs.includes("patch")) {
    const types =
      resource.origin === "builtin" ? [...PATCH_TYPES, "application/strategic-merge-patch+json"] : PATCH_TYPES;
    operations.push({
      method: "patch",
      id: `patch${id}`,
      action: "patch",
      parameters: parameters.PATCH,
      body: { content: content(META.patch, types), required: true },
      answer: component,
      codes: [200, 201],
    });
  }
  return operations;
}

function listing(resource: Resource): Omit<Operation, "id"> {
  const answer = componentName(resource, resource.listKind);
  return { method: "get", action: "list", parameters: parameters.LIST, answer, codes: [200] };
}

function creation(id: string, component: string): Operation {
  return {
    method: "post",
    id,
    action: "post",
    parameters: parameters.WRITE,
    body: { content: content(component), required: true },
    answer: component,
    codes: [200, 201, 202],
  };
}

function pathItem(
  resource: Resource,
  about: GroupVersionKind,
  shared: readonly Parameter[],
  operations: readonly Operation[],
): PathItem {
  const item: Record<string, unknown> = {};
  for (const operation of operations) {
    const responses: Record<string, unknown> = {};
    for (const code of operation.codes)
      responses[code] = { description: CODES[code], content: content(operation.answer) };
    responses["401"] = { description: "Unauthorized" };
    item[operation.method] = {
      tags: [tagOf(resource)],
      operationId: operation.id,
      parameters: operation.parameters,
      ...(operation.body ? { requestBody: operation.body } : {}),
      responses,
      "x-kubernetes-action": operation.action,
      "x-kubernetes-group-version-kind": about,
    };
  }
  item["parameters"] = shared;
  return item;
}

function content(component: string, types: readonly string[] = ["application/json", "application/yaml"]): Content {
  const schema = refTo(component);
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
