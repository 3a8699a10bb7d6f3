import { findCondition } from "../../../language/object/condition.ts";
import type { BootDecision } from "../../node-tuning/boot/boot-decision.ts";
import { describeProblem } from "../../rollout/rendering.ts";
import { printable, quoted } from "../../rollout/node-annotations.ts";
import { countsAsUnavailable, isUpdated } from "../../rollout/node-state.ts";
import type { PoolPass } from "../../rollout/pool-authority.ts";
import type { PoolOrder } from "../handover/pool-order.ts";
import type { PoolReport } from "../handover/pool-report.ts";
import { keys } from "../protocol.ts";

/** Nodes of a NodePool that disagree about boot arguments, in words. */
export function disagreement(nodePool: string, boot: BootDecision | undefined): string | undefined {
  const outcome = boot?.pools.find(({ pool }) => pool === nodePool)?.outcome;
  if (outcome?.type !== "conflict") return undefined;
  const values = Array.from(outcome.values, ([value, nodes]) => {
    const more = nodes.length > 3 ? ` and ${nodes.length - 3} more nodes` : "";
    return `${quoted(value, 200)} on ${nodes.slice(0, 3).join(", ")}${more}`;
  });
  return `nodes disagree about boot arguments: ${values.slice(0, 5).join("; ")}`;
}

/** What is wrong with the Tuneds of a NodePool. */
export function invalidTuneds(nodePool: string, boot: BootDecision | undefined): NonNullable<PoolReport["tuneds"]> {
  const { tuneds = [], invalid } = boot ?? {};
  return tuneds.flatMap(({ metadata: { name = "", labels = {} } }) => {
    const message = labels[keys.nodePoolName] === nodePool ? invalid?.get(name) : undefined;
    return message === undefined ? [] : [{ tuned: name, message: printable(message, 800) }];
  });
}

/** A write that an API server refuses, in its words. */
interface RefusedWrite {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
}

/** Writes for a NodePool that the hosted cluster refuses. */
export function refusal(
  nodePool: string,
  refused: readonly RefusedWrite[],
  poolOf: (node: string) => string,
): string | undefined {
  const own = refused.filter((write) => isFor(nodePool, write, poolOf));
  if (own.length === 0) return undefined;
  const more = own.length > 2 ? `; and ${own.length - 2} more` : "";
  const first = own.slice(0, 2).map(({ message }) => printable(message, 400));
  return `the hosted cluster refuses: ${first.join("; ")}${more}`;
}

/** What is for no node, and for no pool, is for all of them. */
function isFor(nodePool: string, { kind, name }: RefusedWrite, poolOf: (node: string) => string): boolean {
  if (kind === "Node" || kind === "Profile") return poolOf(name) === nodePool;
  if (kind === "MachineConfigPool") return name === nodePool;
  return kind !== "MachineConfig" || name.startsWith(`rendered-${nodePool}-`);
}

export interface ReportInput {
  readonly order: PoolOrder;
  /** Absent: machines are replaced, and the management side counts them. */
  readonly pass?: PoolPass | undefined;
  /** The report before. */
  readonly before?: PoolReport | undefined;
  /** Nodes that disagree about boot arguments. */
  readonly bootArguments?: string | undefined;
  /** What is wrong with its Tuneds. */
  readonly tuneds?: NonNullable<PoolReport["tuneds"]>;
  /** What the hosted cluster refuses to write for it. */
  readonly refused?: string | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** What the management side is told: judged from nodes, never from what the status of a pool says. */
export function reportOf({ order, pass, before, bootArguments, tuneds = [], refused, now }: ReportInput): PoolReport {
  const isNew = before?.target !== order.target.full;
  const about = pass ? updateIn(pass) : nothing;
  return {
    nodePool: order.nodePool.name,
    target: order.target.full,
    generation: order.nodePool.generation,
    ...about.lists,
    ...(about.isFinished ? { current: order.target.full } : {}),
    ...(bootArguments === undefined ? {} : { bootArguments }),
    ...(tuneds.length > 0 ? { tuneds } : {}),
    ...(refused === undefined ? {} : { refused }),
    since: isNew ? now : before.since,
    ...(about.isFinished ? { finished: isNew ? now : (before.finished ?? now) } : {}),
  };
}

interface Update {
  readonly isFinished: boolean;
  readonly lists: Pick<PoolReport, "counts" | "updated" | "degraded" | "waiting" | "problems">;
}

const nothing: Update = {
  isFinished: false,
  lists: {
    counts: { total: 0, updated: 0, unavailable: 0, degraded: 0 },
    updated: [],
    degraded: [],
    waiting: [],
    problems: [],
  },
};

function updateIn({ pool, rendering, decision }: PoolPass): Update {
  const { members, waiting, status } = decision;
  const target = pool.spec?.configuration?.name ?? "";
  // Without a rendering nodes are as they should be.
  const wanted = (rendering?.type === "rendered" && rendering.config.metadata.name) || target;
  const updated = members.filter(({ state }) => rendering === undefined || isUpdated(state, wanted));
  const failed = members.filter(({ state, progress }) => state.isDegraded || progress?.phase === "Failed");
  const unavailable = members.filter(({ state }) => countsAsUnavailable(state));
  const isReleased =
    rendering === undefined || (rendering.type === "rendered" && rendering.config.metadata.name === target);
  return {
    isFinished: isReleased && findCondition(status?.conditions, "Updated")?.status === "True",
    lists: {
      counts: {
        total: members.length,
        updated: updated.length,
        unavailable: unavailable.length,
        degraded: failed.length,
      },
      updated: updated.map(({ state }) => state.name),
      degraded: failed.map(({ state, progress }) => ({
        node: state.name,
        reason: printable(state.update.reason || (progress?.reason ?? "no reason given"), 500),
      })),
      waiting: waiting.map(({ reason, message }) => ({ reason, message: printable(message, 500) })),
      problems: rendering?.type === "refused" ? rendering.problems.map(describeProblem) : [],
    },
  };
}
