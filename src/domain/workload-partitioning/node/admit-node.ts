import { at, isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { required } from "../../../language/schema/field-error.ts";
import { type Admission, passed, type Problem, refused, type Review } from "../admission.ts";
import { isSingleNode, lookupProblem, nodesReport } from "../cluster-state.ts";
import { coresOf, coresSuffix } from "../names.ts";
import { pinningPaths } from "../pinning-files.ts";
import type { ReleaseRules } from "../release.ts";

/** Nodes join a partitioned cluster only if they are partitioned themselves: pods would find no CPU on others. */
export function admitNode(review: Review): Admission {
  const { object, operation, subresource, view, release } = review;
  const operations = release.nodeUpdates === "refused" ? ["CREATE", "UPDATE"] : ["CREATE"];
  if (!operations.includes(operation) || subresource !== "") return passed(object, "not-reviewed");
  if (object.kind !== "Node") return forbidden(object, "unexpected-object", `expected a Node, got ${object.kind}`);
  if (!view.ready) return forbidden(object, "infra-unsynced", "the cache of the Infrastructure is not filled yet");
  const unknown = lookupProblem(view.identifier, release);
  if (unknown) return refused(object, [unknown]);
  if (!isChecked(review)) return passed(object, "node-not-checked");
  const [first, ...others] = missing(object, release);
  return first ? refused(object, [first, ...others]) : passed(object, "node-has-cores");
}

/** With the identifier, or in a cluster that is older than it, whose single node was partitioned without. */
function isChecked({ view, release }: Review): boolean {
  const { identifier, coresFrom, nodes } = view;
  if (identifier.state !== "known" || coresFrom === "agent") return false;
  if (identifier.mode === "AllNodes") return true;
  const { nodeFallback } = release;
  return (
    nodeFallback !== undefined &&
    isSingleNode(identifier, nodeFallback) &&
    nodesReport(nodes, coresOf("management"), nodeFallback)
  );
}

function missing(node: KubeObject, { nodeEntry }: ReleaseRules): Problem[] {
  const lists = [
    ["capacity", "node-capacity-missing"],
    ["allocatable", "node-allocatable-missing"],
  ] as const;
  const isThere = (list: string): boolean => {
    const amounts = at(node, "status", list);
    const names = isObject(amounts) ? Object.keys(amounts) : [];
    return names.some((name) =>
      nodeEntry === "contains" ? name.includes(coresSuffix) : name.endsWith(`.${coresSuffix}`),
    );
  };
  const text = "nodes of a cluster with CPU partitioning must have it";
  const question = `: does ${pinningPaths.kubelet} exist, and did the kubelet start after it was written?`;
  return lists
    .filter(([list]) => !isThere(list))
    .map(([list, code], index) => ({
      code,
      status: 422,
      ...required(`status.${list}.${coresSuffix}`, index === 0 ? text + question : text),
    }));
}

function forbidden(object: KubeObject, code: Problem["code"], message: string): Admission {
  return refused(object, [{ code, status: 403, message }]);
}
