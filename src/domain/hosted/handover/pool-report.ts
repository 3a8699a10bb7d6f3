import { writeJson } from "../../../language/object/exact-json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import type { Waiting } from "../../rollout/waiting.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { joinedName, labelLimit } from "../names.ts";
import { keys, nodePoolOf } from "../protocol.ts";
import { problemIn, type Read, readStrictly } from "./strict-json.ts";

/** What the operator of a hosted cluster says about the nodes of a NodePool. */
export interface PoolReport {
  readonly nodePool: string;
  /** The full hash of the order that it speaks of. */
  readonly target: string;
  /** The generation of the NodePool in that order. */
  readonly generation: number;
  /** The full hash that every node has. Absent: none yet. */
  readonly current?: string | undefined;
  readonly counts: NodeCounts;
  /** Names of the nodes that have the target, at most as many as fit. */
  readonly updated: readonly string[];
  readonly degraded: readonly { readonly node: string; readonly reason: string }[];
  /** Why the rollout does not go on, the most urgent first. */
  readonly waiting: readonly Waiting[];
  /** Why the target cannot be rolled out at all. */
  readonly problems: readonly string[];
  /** Nodes that disagree about boot arguments. Absent: they agree, or have none. */
  readonly bootArguments?: string | undefined;
  /** What is wrong with Tuneds, by their names in the hosted cluster. Absent: nothing. */
  readonly tuneds?: readonly { readonly tuned: string; readonly message: string }[] | undefined;
  /** What the hosted cluster refuses. Absent: nothing. */
  readonly refused?: string | undefined;
  /** RFC 3339: when the rollout of this target began, and when it was finished. */
  readonly since: string;
  readonly finished?: string | undefined;
}

export interface NodeCounts {
  readonly total: number;
  readonly updated: number;
  readonly unavailable: number;
  readonly degraded: number;
}

export const reportMark = "rollout.attune.dev/pool-report";
export const reportConfigMap = (nodePool: string): string => joinedName("pool-report", nodePool, labelLimit);

const reportKey = "report";
/** Of lists in a report; counts are always complete. */
const mostEntries = 1000;
const mostTexts = 20;
const mostCharacters = 1000;

const name: Schema = { type: "string", minLength: 1, maxLength: 253 };
const hash: Schema = { type: "string", pattern: "^[0-9a-f]{8,64}$" };
const count: Schema = { type: "integer", minimum: 0 };
const text: Schema = { type: "string", maxLength: mostCharacters };

const schema: Schema = {
  type: "object",
  required: ["nodePool", "target", "generation", "counts", "updated", "degraded", "waiting", "problems", "since"],
  properties: {
    nodePool: name,
    target: hash,
    generation: count,
    current: hash,
    counts: {
      type: "object",
      required: ["total", "updated", "unavailable", "degraded"],
      properties: { total: count, updated: count, unavailable: count, degraded: count },
    },
    updated: { type: "array", items: name, maxItems: mostEntries },
    degraded: {
      type: "array",
      maxItems: mostTexts,
      items: { type: "object", required: ["node", "reason"], properties: { node: name, reason: text } },
    },
    waiting: {
      type: "array",
      maxItems: mostTexts,
      items: { type: "object", required: ["reason", "message"], properties: { reason: text, message: text } },
    },
    problems: { type: "array", items: text, maxItems: mostTexts },
    bootArguments: text,
    tuneds: {
      type: "array",
      maxItems: mostTexts,
      items: { type: "object", required: ["tuned", "message"], properties: { tuned: name, message: text } },
    },
    refused: text,
    since: { type: "string", format: "date-time" },
    finished: { type: "string", format: "date-time" },
  },
};

/** Lists and texts are cut to what `readReport` accepts. */
export function writeReport(
  report: PoolReport,
  pool: { readonly namespace: string; readonly order: KubeObject },
): ConfigMap {
  const { nodePool, updated, degraded, waiting, problems, bootArguments, tuneds, refused } = report;
  const bounded = {
    ...report,
    updated: updated.slice(0, mostEntries),
    degraded: degraded.slice(0, mostTexts).map(({ node, reason }) => ({ node, reason: cut(reason) })),
    waiting: waiting.slice(0, mostTexts).map(({ reason, message }) => ({ reason: cut(reason), message: cut(message) })),
    problems: problems.slice(0, mostTexts).map(cut),
    ...(bootArguments === undefined ? {} : { bootArguments: cut(bootArguments) }),
    ...(tuneds ? { tuneds: tuneds.slice(0, mostTexts).map((one) => ({ ...one, message: cut(one.message) })) } : {}),
    ...(refused === undefined ? {} : { refused: cut(refused) }),
  };
  const { name: order = "", uid = "", annotations = {} } = pool.order.metadata;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: reportConfigMap(nodePool),
      namespace: pool.namespace,
      labels: { [keys.nodePool]: nodePool, [reportMark]: "true" },
      annotations: { [keys.nodePool]: annotations[keys.nodePool] ?? nodePool },
      // The API server deletes it with its order.
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: order, uid }],
    },
    data: { [reportKey]: writeJson(bounded) },
  };
}

function cut(value: string): string {
  return value.length > mostCharacters ? `${value.slice(0, mostCharacters - 1)}…` : value;
}

/** By its mark. */
export function isReport({ metadata: { labels = {} } }: Pick<KubeObject, "metadata">): boolean {
  return Object.hasOwn(labels, reportMark) && labels[reportMark] === "true";
}

/** A report is about the NodePool of its label, and has the name of that report: another ConfigMap with its mark is none. */
export function readReport(configMap: ConfigMap): Read<PoolReport> {
  const nodePool = nodePoolOf(configMap);
  const read = readStrictly<PoolReport>(configMap, reportKey, schema);
  if (read.type === "problem") return read;
  if (read.value.nodePool !== nodePool || configMap.metadata.name !== reportConfigMap(nodePool))
    return problemIn(
      configMap.metadata.name,
      reportKey,
      `nodePool: is not the NodePool of the label ${keys.nodePool} and of this name`,
    );
  return read;
}
