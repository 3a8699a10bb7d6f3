import type { KubeObject } from "../../../language/object/meta.ts";
import { writeJson } from "../../../language/object/exact-json.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { configKinds } from "../envelope/manifest-kinds.ts";
import { type ConfigMap, formatProblem, readManifests } from "../envelope/read-manifests.ts";
import { joinedName, labelLimit } from "../names.ts";
import { keys, nodePoolOf } from "../protocol.ts";
import { unpackText } from "./packed-text.ts";
import { problemIn, type Read, readStrictly } from "./strict-json.ts";

/** What the management side wants of the nodes of a NodePool. */
export interface PoolOrder {
  readonly nodePool: PoolName;
  readonly upgradeType: "InPlace" | "Replace";
  /** Of nodes that may be away at once; at least one. */
  readonly maxUnavailable: number;
  readonly paused: boolean;
  /** How long a drain may take. Absent: as long as it needs. */
  readonly drainTimeoutMs?: number | undefined;
  readonly target: Target;
  /** Names of its nodes, where a provider of machines knows them. Absent: the operator of the hosted cluster finds out. */
  readonly nodes?: readonly string[] | undefined;
  /** All manifests of the target, packed. See `payloadOf`. */
  readonly payload: string;
}

export interface PoolName {
  readonly namespace: string;
  readonly name: string;
  /** Of the NodePool when the order was written. */
  readonly generation: number;
}

/** A configuration, by its hashes, and the release. */
export interface Target {
  readonly full: string;
  readonly withoutVersion: string;
  readonly version: string;
}

export const orderMark = "rollout.attune.dev/pool-order";
export const orderConfigMap = (nodePool: string): string => joinedName("pool-order", nodePool, labelLimit);

const orderKey = "order";
const payloadKey = "payload";

const name: Schema = { type: "string", minLength: 1, maxLength: 253 };
const hash: Schema = { type: "string", pattern: "^[0-9a-f]{8,64}$" };

const schema: Schema = {
  type: "object",
  required: ["nodePool", "upgradeType", "maxUnavailable", "paused", "target"],
  properties: {
    nodePool: {
      type: "object",
      required: ["namespace", "name", "generation"],
      properties: { namespace: name, name, generation: { type: "integer", minimum: 0 } },
    },
    upgradeType: { type: "string", enum: ["InPlace", "Replace"] },
    maxUnavailable: { type: "integer", minimum: 1 },
    paused: { type: "boolean" },
    drainTimeoutMs: { type: "integer", minimum: 1 },
    target: {
      type: "object",
      required: ["full", "withoutVersion", "version"],
      properties: { full: hash, withoutVersion: hash, version: { type: "string", maxLength: 253 } },
    },
    nodes: { type: "array", items: name, maxItems: 20_000 },
  },
};

export function writeOrder({ payload, ...order }: PoolOrder, namespace: string): ConfigMap {
  const { nodePool } = order;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: orderConfigMap(nodePool.name),
      namespace,
      labels: { [keys.nodePool]: nodePool.name, [orderMark]: "true" },
      annotations: { [keys.nodePool]: `${nodePool.namespace}/${nodePool.name}` },
    },
    data: { [orderKey]: writeJson(order), [payloadKey]: payload },
  };
}

/** By its mark. */
export function isOrder({ metadata: { labels = {} } }: Pick<KubeObject, "metadata">): boolean {
  return Object.hasOwn(labels, orderMark) && labels[orderMark] === "true";
}

/** An order is for the NodePool of its label, and has the name of that order: another ConfigMap with its mark is none. */
export function readOrder(configMap: ConfigMap): Read<PoolOrder> {
  const nodePool = nodePoolOf(configMap);
  const read = readStrictly<Omit<PoolOrder, "payload">>(configMap, orderKey, schema);
  if (read.type === "problem") return read;
  const problem = (key: string, what: string): Read<PoolOrder> => problemIn(configMap.metadata.name, key, what);
  if (read.value.nodePool.name !== nodePool || configMap.metadata.name !== orderConfigMap(nodePool))
    return problem(orderKey, `nodePool.name: is not the NodePool of the label ${keys.nodePool} and of this name`);
  const payload = configMap.data?.[payloadKey];
  if (payload === undefined) return problem(payloadKey, "is missing");
  return { type: "read", value: { ...read.value, payload } };
}

/** The objects of a packed payload, of the kinds that nodes can be configured with. */
export function readPayload(packed: string, nodePool: string): Read<readonly KubeObject[]> {
  const of = orderConfigMap(nodePool);
  const unpacked = unpackText(packed);
  if (unpacked.type === "problem") return problemIn(of, payloadKey, unpacked.problem);
  if (unpacked.text === "") return { type: "read", value: [] };
  const text = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: of }, data: { [payloadKey]: unpacked.text } };
  const { manifests, problems } = readManifests(text, [payloadKey], configKinds);
  const [first] = problems;
  if (first) return { type: "problem", problem: formatProblem(first) };
  return { type: "read", value: manifests.map(({ object }) => object) };
}
