import type { ObjectFinding } from "../../../domain/finding.ts";
import {
  changesNodes,
  type NodePoolChange,
  type NodePoolRollout,
} from "../../../domain/plan/node-pools/node-pool-change.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { paragraph } from "../terminal/wrap.ts";
import type { Limits } from "./node-names.ts";
import { tuningText } from "./node-text.ts";
import { actionLines, indented } from "./pool-text.ts";

interface Around extends Limits {
  readonly findings: readonly ObjectFinding[];
}

/** What the nodes of a NodePool get: settings at once, and a configuration by its rollout. */
export function nodePoolText(change: NodePoolChange, around: Around, colours: Colours): string {
  const { nodePool, hostedCluster, configMaps, nodes, tuning, rollout, waits } = change;
  const { bold, dim, yellow } = colours;
  const whose = nodes === 0 ? "Its future nodes" : nodes === 1 ? "Its node" : `Each of its ${nodes} nodes`;
  const isRefused = around.findings.some(
    ({ severity, about }) => severity === "error" && about === `NodePool ${nodePool}`,
  );
  const verb = isRefused && !changesNodes(change) ? "refuses" : "takes";
  const given = configMaps.length > 0 ? `${verb} ConfigMap ${configMaps.join(", ")}` : "is written";
  const title = [
    { text: `NodePool ${printable(nodePool)}`, paint: bold },
    { text: `of HostedCluster ${printable(hostedCluster)} ${printable(given)}`, paint: String },
  ];
  return [
    ...paragraph(title, around.columns),
    ...(tuning
      ? [
          tuningText(
            `  ${whose}:`,
            { ...tuning, unresolved: [] },
            { ...around, restarts: rollout !== undefined },
            colours,
          ),
        ]
      : []),
    ...(tuning && tuning.unresolved.length > 0
      ? indented(
          "not evaluated: what depends on the hardware of nodes, which the hosted cluster knows",
          2,
          around,
          yellow,
        )
      : []),
    ...(rollout ? actionLines(whose, rollout, { ...actionOf(rollout, nodes), limits: around, colours }) : []),
    ...(rollout ? [] : indented(tuning ? "No node restarts." : "Nothing changes on its nodes.", 2, around, dim)),
    ...waits.flatMap(({ message }) => indented(printable(`waits: ${message}`), 2, around, yellow)),
  ].join("\n");
}

function actionOf(
  { upgradeType, atOnce, problem }: NodePoolRollout,
  nodes: number,
): { readonly what?: string; readonly pace: string } {
  if (upgradeType === "Replace") return { what: "replaced by a new machine", pace: "" };
  const isPaced = problem === undefined && nodes > atOnce;
  return { pace: isPaced ? `, ${atOnce === 1 ? "one" : atOnce} at a time` : "" };
}
