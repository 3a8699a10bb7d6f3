import { group } from "../machine-config/api.ts";
import { isObject } from "../../language/object/json.ts";
import type { ObjectMeta } from "../../language/object/meta.ts";

const named = (name: string): string => `${group}/${name}`;

/** Annotations of a Node by which operator and agent agree on an update. */
export const annotations = {
  /** By the agent: the rendered config that the node has, verified. */
  currentConfig: named("currentConfig"),
  /** By the operator: the rendered config that the node should have. */
  desiredConfig: named("desiredConfig"),
  /** By the agent: see `UpdateState`. */
  state: named("state"),
  /** By the agent: why the state is what it is; empty when done. */
  reason: named("reason"),
  /** By the agent: `drain-<config>` or `uncordon-<config>`. */
  desiredDrain: named("desiredDrain"),
  /** By the operator: the last `desiredDrain` that it has carried out. */
  lastAppliedDrain: named("lastAppliedDrain"),
  /** By the agent: `Rebooting` from the request to boot until the next start. */
  postConfigAction: named("post-config-action"),
  /** By others, where images are layered. Left over, they keep a node from being done. */
  currentImage: named("currentImage"),
  desiredImage: named("desiredImage"),
  /** By the operator: copied from the Infrastructure of OpenShift. */
  controlPlaneTopology: named("controlPlaneTopology"),
  /** By the first boot: the first rendered config. */
  firstPivotConfig: named("firstPivotConfig"),
  /** By the operator: the node got the labels of the pool that its first config belongs to. */
  customPoolLabelsApplied: named("customPoolLabelsApplied"),
} as const;

/** Of annotations that no other operator knows. */
export const ownPrefix = "rollout.attune.dev/";
const own = (name: string): string => `${ownPrefix}${name}`;

/** What the operator remembers on a Node, so that the next operator goes on where this one ended. */
export const ownAnnotations = {
  /** For which config the operator cordoned the node. Absent on a cordoned node: another client did. */
  cordonedFor: own("cordoned-for"),
  /** The config before the last update. */
  previousConfig: own("previous-config"),
  /** See `node-progress.ts`. */
  progress: own("progress"),
  /** See `drain/drain-record.ts`. */
  drain: own("drain"),
} as const;

/** What agents report, where no annotation of the machine config operator fits. */
export const agentAnnotations = {
  /** The last value of `repairAnnotation` that the agent has acted on. */
  repaired: own("repaired"),
  /** See `findingsText`: what of its config the node cannot have, as a JSON list. */
  findings: own("findings"),
  /** The boot in which the agent has tuned the node, by its id. */
  tunedBoot: own("tuned-boot"),
} as const;

/** By a user: any new value asks the agent to set back what drifted. */
export const repairAnnotation = own("repair");

export const drainRequest = (config: string): string => `drain-${config}`;
export const uncordonRequest = (config: string): string => `uncordon-${config}`;

/** Whether an agent asks for a drain, and not for the end of one. */
export function asksForDrain({ desiredDrain }: Pick<NodeUpdate, "desiredDrain">): boolean {
  return desiredDrain.startsWith(drainRequest(""));
}

/** Those an agent may write, on its own Node only. */
export const writtenByAgent: readonly string[] = [
  annotations.currentConfig,
  annotations.state,
  annotations.reason,
  annotations.desiredDrain,
  annotations.postConfigAction,
  ...Object.values(agentAnnotations),
];

/** `Lost`: the node does not have the config that it reported as done; it was given back, or installed anew. */
export type UpdateState = "Done" | "Working" | "Degraded" | "Unreconcilable" | "Lost";

/** The annotations of one node. Absent ones are empty. */
export interface NodeUpdate {
  readonly current: string;
  readonly desired: string;
  /** Empty until an agent has reported. Other values than those of `UpdateState` may come from other agents. */
  readonly state: string;
  readonly reason: string;
  readonly desiredDrain: string;
  readonly lastAppliedDrain: string;
  readonly isRebooting: boolean;
  readonly currentImage: string;
  readonly desiredImage: string;
}

/** As the machine config operator limits it. A node that writes more must not fill the status of its pool. */
export const longestReason = 2000;

/** For the annotation. Null: there are none. Further ones than fit are counted. */
export function findingsText(findings: readonly string[]): string | null {
  return findings.length === 0 ? null : JSON.stringify(firstOf(findings));
}

/** The reason of a node whose files are not those of its config. */
export function driftText(drifted: readonly string[]): string {
  return drifted.length === 0 ? "" : `drifted: ${firstOf(drifted).join("; ")}`;
}

/** As many as an annotation may have, and how many there are besides. */
function firstOf(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let size = 0;
  for (const one of texts.map((text) => text.slice(0, longestFinding))) {
    size += one.length + "; ".length;
    if (size > longestReason - roomForRest) break;
    kept.push(one);
  }
  const more = texts.length - kept.length;
  return more > 0 ? [...kept, `and ${more} more`] : kept;
}

/** For the words before the list, and those after it. */
const roomForRest = 50;
const longestFinding = 300;

/** What of its config a node cannot have. Nodes may write anything: what is no list of texts says nothing. */
export function findingsOf({ annotations: of }: Pick<ObjectMeta, "annotations">): readonly string[] {
  const text = of?.[agentAnnotations.findings] ?? "[]";
  try {
    const found: unknown = text.length > 2 * longestReason ? [] : JSON.parse(text);
    return Array.isArray(found)
      ? found.filter((one) => typeof one === "string").map((one) => one.slice(0, longestFinding))
      : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Control and format characters, and halves of characters: they could hide or reorder text on a terminal. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text of a node for a status or an event. Nodes may write anything. */
export function printable(text: string, longest: number): string {
  const cut = text.slice(0, longest);
  return cut.replace(unprintable, (one) => `\\u${one.codePointAt(0)!.toString(16).padStart(4, "0")}`);
}

/** As `printable`, in quotes that the text cannot end: what follows is not the node's. */
export function quoted(text: string, longest: number): string {
  return `"${printable(text.slice(0, longest).replace(/["\\]/g, "\\$&"), 2 * longest)}"`;
}

export function updateOf(metadata: Pick<ObjectMeta, "annotations">): NodeUpdate {
  const read = (name: string): string => metadata.annotations?.[name] ?? "";
  return {
    current: read(annotations.currentConfig),
    desired: read(annotations.desiredConfig),
    state: read(annotations.state),
    reason: read(annotations.reason).slice(0, longestReason),
    desiredDrain: read(annotations.desiredDrain),
    lastAppliedDrain: read(annotations.lastAppliedDrain),
    isRebooting: read(annotations.postConfigAction) === "Rebooting",
    currentImage: read(annotations.currentImage),
    desiredImage: read(annotations.desiredImage),
  };
}

/** A JSON object in an annotation. Undefined: there is none, or another client wrote something else. */
export function readObject(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
