import { at } from "../../../language/object/json.ts";
import { parseTime } from "../../../language/object/time.ts";
import { ownAnnotations, printable, readObject } from "../node-annotations.ts";
import type { RolloutNode } from "../rollout-node.ts";

/** Stored on the Node while a drain runs: when it began, and what is in its way. */
export interface DrainRecord {
  /** The value of `desiredDrain` that is carried out. */
  readonly request: string;
  /** RFC 3339. */
  readonly since: string;
  readonly blocked: readonly BlockedPod[];
  /** Pods that wait beside those in `blocked`. */
  readonly more?: number | undefined;
  /** The last event about how long it takes. */
  readonly warned?: "DrainThresholdExceeded" | "DrainFailed" | undefined;
}

export interface BlockedPod {
  /** `namespace/name` */
  readonly pod: string;
  /** PodDisruptionBudgets that select it. */
  readonly budgets: readonly string[];
  readonly message: string;
}

/** So many blocked pods are named; annotations are limited. */
export const mostBlocked = 5;
const longestText = 300;
const warnings = ["DrainThresholdExceeded", "DrainFailed"] as const;

/** The kubelet of the node may write anything there: what no operator wrote counts as nothing, and the drain starts again. */
export function readDrain({ metadata }: RolloutNode): DrainRecord | undefined {
  const value = readObject(metadata.annotations?.[ownAnnotations.drain]);
  const { request, since, blocked, more, warned } = value ?? {};
  if (typeof request !== "string" || typeof since !== "string" || parseTime(since) === undefined) return undefined;
  if (!Array.isArray(blocked)) return undefined;
  const known = warnings.find((one) => one === warned);
  return {
    request,
    since,
    blocked: blocked.filter(isBlockedPod).slice(0, mostBlocked).map(shown),
    ...(typeof more === "number" && more > 0 ? { more } : {}),
    ...(known ? { warned: known } : {}),
  };
}

function isBlockedPod(value: unknown): value is BlockedPod {
  const [pod, budgets, message] = ["pod", "budgets", "message"].map((name) => at(value, name));
  const areTexts = Array.isArray(budgets) && budgets.every((one) => typeof one === "string");
  return typeof pod === "string" && areTexts && typeof message === "string";
}

function shown({ pod, budgets, message }: BlockedPod): BlockedPod {
  const text = (one: string): string => printable(one, longestText);
  return { pod: text(pod), budgets: budgets.slice(0, mostBlocked).map(text), message: text(message) };
}

/** `pod a/b: PodDisruptionBudget a/c allows no further disruption` */
export function describeBlocked({ pod, budgets, message }: BlockedPod): string {
  if (budgets.length === 0) return `pod ${pod}: ${message}`;
  return `pod ${pod}: PodDisruptionBudget ${budgets.join(" and ")} allows no further disruption`;
}

/** All pods that a drain waits for. Empty: none is in its way. */
export function describeDrain({ blocked, more }: Pick<DrainRecord, "blocked" | "more">): string {
  return `${blocked.map(describeBlocked).join(", ")}${more ? ` and ${more} more` : ""}`;
}

/** What a user can do about budgets. Where there are none, the messages of the pods say it. */
export function unblocking(blocked: readonly BlockedPod[]): string[] {
  const isBudget = blocked.some(({ budgets }) => budgets.length > 0);
  return isBudget ? ["change the budget or delete the pods to let the drain go on"] : [];
}
