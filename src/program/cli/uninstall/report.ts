import type { KubeObject } from "../../../language/object/meta.ts";
import { serialised } from "../terminal/serialise.ts";
import { shellWord } from "../terminal/terminal.ts";
import { nameOf } from "./installed-objects.ts";
import type { NodeOutcome } from "./node-outcome.ts";

export interface UninstallReport {
  readonly nodes: readonly NodeOutcome[];
  readonly deleted: readonly KubeObject[];
  readonly kept: readonly { readonly object: KubeObject; readonly because: string }[];
}

/** As `-o json` and `-o yaml` print it. */
export async function reportData(report: UninstallReport, output: "json" | "yaml"): Promise<string> {
  const { nodes, deleted, kept } = report;
  return serialised(
    {
      nodes,
      deleted: deleted.map(reference),
      kept: kept.map(({ object, because }) => ({ ...reference(object), because })),
    },
    output,
  );
}

/** What was kept, and what remains on nodes. */
export function reportText({ nodes, kept }: UninstallReport, image: string | undefined): string {
  const tuned = nodes.filter(({ state }) => state !== "rolled back");
  const done = nodes.length - tuned.length;
  return [
    ...kept.map(({ object, because }) => `${nameOf(object)} kept: ${because}`),
    ...(done > 0 ? [`${count(done)} rolled back; nothing of Attune remains on ${done === 1 ? "it" : "them"}`] : []),
    ...tuned.map(({ node, because }) => `Node ${node} not rolled back: ${because}`),
    ...(tuned.some(({ state }) => state === "away")
      ? ["Namespaces are gone when the pods on these nodes have ended, or their Nodes are deleted"]
      : []),
    ...(tuned.length > 0 ? [`To roll back such a node when it is ready: ${remedy(tuned[0]?.node ?? "", image)}`] : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function count(nodes: number): string {
  return nodes === 1 ? "1 node" : `${nodes} nodes`;
}

function remedy(node: string, image = "IMAGE"): string {
  const words = ["kubectl", "debug", `node/${node}`, "-it", "--profile=sysadmin", `--image=${image}`];
  return [...words, "--", "attune", "tuned", "rollback", "--root", "/host"].map(shellWord).join(" ");
}

function reference({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): object {
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}
