import { bootstrapClusterRoles } from "../rbac/bootstrap-roles.ts";
import { type Attributes, type Decision, nodeNameOf, type User } from "../user.ts";
import type { NodeRelations } from "./node-relations.ts";
import type { Referred } from "./pod-references.ts";
import { RuleSet } from "../rbac/rule-set.ts";

const NODE_LEASES = "kube-node-lease";

const allow: Decision = { allowed: true, reason: "" };
const refuse = (reason: string): Decision => ({ allowed: false, reason });

type Request = Extract<Attributes, { type: "resource" }>;
type Rule = (request: Request, node: string, relations: NodeRelations) => Decision;

/**
 * Kubernetes' Node authorizer: what a node may do, given the pods bound to it. Undefined for other users. It does not
 * see what a node writes; the NodeRestriction admission plug-in checks that.
 */
export class NodeAuthorizer {
  readonly #relations: NodeRelations;
  readonly #rules = new RuleSet(
    (bootstrapClusterRoles["system:node"]?.rules ?? []).map((rule) => ({ rule, by: "node" })),
    [],
  );

  constructor(relations: NodeRelations) {
    this.#relations = relations;
  }

  authorize(user: User, attributes: Attributes): Decision | undefined {
    const node = nodeNameOf(user);
    if (node === undefined) return undefined;
    if (node === "") return refuse(`unknown node for user ${JSON.stringify(user.name)}`);
    const rule =
      attributes.type === "resource" ? subdivided.get(`${attributes.group}/${attributes.resource}`) : undefined;
    if (rule && attributes.type === "resource") return rule(attributes, node, this.#relations);
    return this.#rules.allows(attributes) === undefined ? refuse("") : allow;
  }
}

/** Kinds of which a node may only see objects related to it. For all others the role system:node decides. */
const subdivided: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["/secrets", readOne("secrets")],
  ["/configmaps", readOne("configmaps")],
  [
    "/persistentvolumeclaims",
    (request, node, relations) =>
      request.subresource === "status"
        ? updateStatus(request, node, relations)
        : getOne("persistentvolumeclaims")(request, node, relations),
  ],
  ["/persistentvolumes", getOne("persistentvolumes")],
  ["resource.k8s.io/resourceclaims", unrelated],
  ["storage.k8s.io/volumeattachments", unrelated],
  ["/serviceaccounts", serviceAccount],
  ["coordination.k8s.io/leases", lease],
  ["storage.k8s.io/csinodes", storageNode],
  ["/nodes", ownNode],
  ["/pods", ownPods],
]);

function related(
  { namespace, name }: Request,
  kind: Referred | "pods" | "persistentvolumes",
  node: string,
  relations: NodeRelations,
): Decision {
  if (name === "") return refuse("No Object name found");
  const key = kind === "persistentvolumes" ? name : `${namespace}/${name}`;
  return relations.relates(node, kind, key) ? allow : noRelation(node);
}

const noRelation = (node: string): Decision => refuse(`no relationship found between node '${node}' and this object`);

function readOne(kind: Referred): Rule {
  return (request, node, relations) => {
    if (!["get", "list", "watch"].includes(request.verb)) return refuse("can only read resources of this type");
    if (request.subresource !== "") return refuse("cannot read subresource");
    if (request.namespace === "") return refuse("can only read namespaced object of this type");
    return related(request, kind, node, relations);
  };
}

function getOne(kind: Parameters<typeof related>[1]): Rule {
  return (request, node, relations) => refusalToGet(request) ?? related(request, kind, node, relations);
}

function refusalToGet({ verb, subresource }: Request): Decision | undefined {
  if (verb !== "get") return refuse("can only get individual resources of this type");
  return subresource === "" ? undefined : refuse("cannot get subresource");
}

/** For kinds that this server does not relate to nodes. */
function unrelated(request: Request, node: string): Decision {
  return refusalToGet(request) ?? (request.name === "" ? refuse("No Object name found") : noRelation(node));
}

const updateStatus: Rule = (request, node, relations) =>
  request.verb === "update" || request.verb === "patch"
    ? related(request, "persistentvolumeclaims", node, relations)
    : refuse("can only get/update/patch this type");

function serviceAccount(request: Request, node: string, relations: NodeRelations): Decision {
  if (request.verb === "get" && request.subresource === "") return readOne("serviceaccounts")(request, node, relations);
  if (request.verb !== "create" || request.name === "")
    return refuse("can only create tokens for individual service accounts");
  if (request.subresource !== "token") return refuse("can only create token subresource of serviceaccount");
  return related(request, "serviceaccounts", node, relations);
}

const ownVerbs = ["get", "create", "update", "patch", "delete"];

function lease({ verb, namespace, name }: Request, node: string): Decision {
  if (!ownVerbs.includes(verb)) return refuse("can only get, create, update, patch, or delete a node lease");
  if (namespace !== NODE_LEASES) return refuse(`can only access leases in the "${NODE_LEASES}" system namespace`);
  // On create the name is in the body: NodeRestriction checks it.
  if (verb !== "create" && name !== node)
    return refuse("can only access node lease with the same name as the requesting node");
  return allow;
}

function storageNode({ verb, subresource, name }: Request, node: string): Decision {
  if (!ownVerbs.includes(verb)) return refuse("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return refuse("cannot authorize CSINode subresources");
  if (verb !== "create" && name !== node)
    return refuse("can only access CSINode with the same name as the requesting node");
  return allow;
}

function ownNode({ verb, subresource, name }: Request, node: string): Decision {
  const writes = verb === "update" || verb === "patch";
  if (subresource === "status") return writes ? allow : refuse("");
  if (subresource !== "") return refuse("");
  if (writes || verb === "create") return allow;
  if (verb !== "get" && verb !== "list" && verb !== "watch") return refuse("");
  if (name === node) return allow;
  return refuse(`node '${node}' cannot read ${name === "" ? "all nodes" : `'${name}'`}, only its own Node object`);
}

function ownPods(request: Request, node: string, relations: NodeRelations): Decision {
  const { verb, subresource, name, fieldSelector = [] } = request;
  if (subresource === "status") return verb === "update" || verb === "patch" ? allow : refuse("");
  if (subresource === "eviction") return verb === "create" ? allow : refuse("");
  if (subresource !== "") return refuse("");
  if (verb === "create" || verb === "delete") return allow;
  if (verb === "get") return related(request, "pods", node, relations);
  if (verb !== "list" && verb !== "watch") return refuse("");
  if (fieldSelector.some(({ field, op, value }) => field === "spec.nodeName" && op === "=" && value === node))
    return allow;
  if (name !== "") return related(request, "pods", node, relations);
  return refuse("can only list/watch pods with spec.nodeName field selector");
}
