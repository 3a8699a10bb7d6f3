import type { KubeObject } from "../../../language/object/meta.ts";
import { serialised } from "../terminal/serialise.ts";
import { shellWord } from "../terminal/terminal.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { nameOf } from "./installed-objects.ts";
import type { NodeOutcome } from "./node-outcome.ts";

export interface UninstallReport {
  readonly dryRun: boolean;
  readonly nodes: readonly NodeOutcome[];
  /** Nodes that keep what was tuned for Scylla. */
  readonly scyllaNodes: readonly string[];
  readonly deleted: readonly KubeObject[];
  readonly kept: readonly { readonly object: KubeObject; readonly because: string }[];
}

/** As `-o json` and `-o yaml` print it. */
export async function reportData(report: UninstallReport, output: "json" | "yaml"): Promise<string> {
  const { nodes, scyllaNodes, deleted, kept } = report;
  return serialised(
    {
      nodes,
      ...(scyllaNodes.length > 0 ? { scyllaNodes } : {}),
      deleted: deleted.map(reference),
      kept: kept.map(({ object, because }) => ({ ...reference(object), because })),
    },
    output,
  );
}

/** What was kept, and what remains on nodes. */
export function reportText(report: UninstallReport, image: string | undefined): string {
  const { dryRun, nodes, scyllaNodes, deleted, kept } = report;
  const tuned = nodes.filter(({ state }) => state !== "rolled back");
  const done = nodes.length - tuned.length;
  const isGoing = deleted.some(({ kind, metadata }) => kind === "Namespace" && metadata.name === tuningNamespace);
  const isNothing = nodes.length + deleted.length + kept.length === 0;
  return [
    ...(isNothing ? ["Nothing to do: the cluster has no objects of Attune"] : []),
    ...kept.map(({ object, because }) => `${nameOf(object)} kept: ${because}`),
    ...(done > 0 ? [`${count(done)} rolled back${dryRun ? " (dry run)" : remains(done)}`] : []),
    ...(scyllaNodes.length > 0
      ? [
          `What was tuned for Scylla stays on ${named(scyllaNodes)}: on each, attune perftune --undo puts back what the engine ` +
            "native has changed",
        ]
      : []),
    ...tuned.map(({ node, because }) => `Node ${node} not rolled back: ${because}`),
    ...(isGoing && tuned.some(({ state }) => state === "away")
      ? [`Namespace ${tuningNamespace} is gone when the pods on these nodes have ended, or their Nodes are deleted`]
      : []),
    ...(tuned.length > 0
      ? ["To roll back such a node when it is ready, in bash:", remedy(tuned[0]?.node ?? "", image)]
      : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function remains(nodes: number): string {
  return `; nothing of Attune remains on ${nodes === 1 ? "it" : "them"}`;
}

const mostNames = 10;

function named(nodes: readonly string[]): string {
  const more = nodes.length > mostNames ? ` and ${nodes.length - mostNames} more` : "";
  return `${count(nodes.length)} (${nodes.slice(0, mostNames).join(", ")}${more})`;
}

function count(nodes: number): string {
  return nodes === 1 ? "1 node" : `${nodes} nodes`;
}

/** As root: a profile of `kubectl debug` keeps the user of the image, and only `--custom`, which reads a file, changes it. */
function remedy(node: string, image = "IMAGE"): string {
  const words = ["kubectl", "debug", `node/${node}`, "-it", "--profile=sysadmin", `--image=${image}`];
  const asRoot = `--custom=<(echo '{"securityContext":{"runAsUser":0}}')`;
  return `  ${words.map(shellWord).join(" ")} ${asRoot} -- attune tuned rollback --root /host`;
}

function reference({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): object {
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}
