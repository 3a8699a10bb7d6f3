import { parseTime } from "../../../language/object/time.ts";
import { databaseContainer } from "../names.ts";
import { isOfNode, type Release, releases } from "./release.ts";

/** A start of the database's container, which waits. */
export interface Start {
  readonly id: string;
  /** In milliseconds, on the clock of the node. */
  readonly at: number;
}

/** What let a start go on. */
export interface Opening {
  readonly start: string;
  /** As in the pod's status; empty if it was not known. */
  readonly containerId: string;
}

export interface GateFiles {
  readonly starts: readonly Start[];
  readonly openings: readonly Opening[];
}

interface State {
  running?: { startedAt?: string };
  terminated?: { finishedAt?: string; exitCode?: number };
}

/** What is read of the pod. */
export interface WaitingPod {
  readonly spec?: { readonly restartPolicy?: string; readonly nodeName?: string };
  readonly status?: {
    readonly containerStatuses?: readonly { name: string; containerID?: string; state?: State; lastState?: State }[];
  };
}

export interface GateInput extends GateFiles {
  /** Undefined if the API server has not told yet; so is `release`, and if there is none. */
  readonly pod: WaitingPod | undefined;
  readonly release: Release | undefined;
  /** Default: the database waits for ever. */
  readonly timeoutMs?: number | undefined;
  readonly now: number;
}

export type GateDecision =
  /** No container waits. */
  | { readonly type: "idle" }
  /** The database ended, and its pod does not start it again. */
  | { readonly type: "ended" }
  | { readonly type: "open"; readonly opening: Opening; readonly because: "released" | "timeout" }
  | {
      readonly type: "wait";
      readonly since: number;
      /** The container that waits, once the pod's status shows it. */
      readonly containerId: string | undefined;
      /** When it goes on untuned. */
      readonly until: number | undefined;
      /** The agent of this node, which is not the pod's, wrote a release: it counts for nothing. */
      readonly foreignNode: string | undefined;
    };

/** Whether the newest container of the database may go on. */
export function decideGate(input: GateInput): GateDecision {
  const { openings, pod, release, timeoutMs, now } = input;
  if (isOver(pod)) return { type: "ended" };
  const opened = new Set(openings.map(({ start }) => start));
  const starts = input.starts.toSorted((a, b) => a.at - b.at);
  const newest = starts.at(-1);
  if (!newest || opened.has(newest.id)) return { type: "idle" };
  const containerId = newestContainer(input, starts.at(-2));
  const node = pod?.spec?.nodeName;
  const opening = { start: newest.id, containerId: containerId ?? "" };
  if (release && releases(release, { containerId, node })) return { type: "open", opening, because: "released" };
  const lastOpened = starts.findLastIndex(({ id }) => opened.has(id));
  // A container that was restarted while it waited began to wait with the first of these restarts.
  const since = starts[lastOpened + 1]?.at ?? newest.at;
  const until = timeoutMs === undefined ? undefined : since + timeoutMs;
  if (until !== undefined && now >= until) return { type: "open", opening, because: "timeout" };
  const foreignNode = release && pod && !isOfNode(release.node, { node }) ? release.node : undefined;
  return { type: "wait", since, containerId, until, foreignNode };
}

/** Starts and openings that say nothing any more. */
export function outdated({ starts, openings }: GateFiles): { starts: Start[]; openings: Opening[] } {
  const sorted = starts.toSorted((a, b) => a.at - b.at);
  const opened = new Set(openings.map(({ start }) => start));
  const last = sorted.findLastIndex(({ id }) => opened.has(id));
  const old = sorted.slice(0, Math.max(0, last));
  const kept = new Set(sorted.slice(Math.max(0, last)).map(({ id }) => id));
  return { starts: old, openings: openings.filter(({ start }) => !kept.has(start)) };
}

/**
 * The container of the newest start, if the pod's status shows it yet and not the one before it. Times in a status are whole seconds, so
 * one that is equal does not tell: the end of the container before does then.
 */
function newestContainer({ pod, openings }: GateInput, before: Start | undefined): string | undefined {
  const status = pod?.status?.containerStatuses?.find(({ name }) => name === databaseContainer);
  const { containerID, state, lastState } = status ?? {};
  if (!containerID || !state?.running) return undefined;
  if (!before) return containerID;
  const known = openings.find(({ start }) => start === before.id)?.containerId;
  if (known) return known === containerID ? undefined : containerID;
  const second = Math.floor(before.at / 1000) * 1000;
  const startedAt = parseTime(state.running.startedAt ?? "") ?? 0;
  if (startedAt > second) return containerID;
  const endedAt = parseTime(lastState?.terminated?.finishedAt ?? "") ?? 0;
  return startedAt === second && endedAt >= second ? containerID : undefined;
}

function isOver(pod: WaitingPod | undefined): boolean {
  const policy = pod?.spec?.restartPolicy ?? "Always";
  if (policy === "Always") return false;
  const end = pod?.status?.containerStatuses?.find(({ name }) => name === databaseContainer)?.state?.terminated;
  return end !== undefined && (policy === "Never" || end.exitCode === 0);
}
