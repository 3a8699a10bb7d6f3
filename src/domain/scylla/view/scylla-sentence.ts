import { count } from "../../fleet/fleet-summary.ts";
import type { ScyllaNodeView } from "./scylla-node.ts";

/** Which databases wait, and for what; or that none does. */
export function scyllaSentence(nodes: readonly ScyllaNodeView[]): string {
  const waiting = nodes.flatMap(({ gates }) => gates.filter(({ state }) => state === "waits"));
  const failed = nodes.filter(({ job }) => job?.state === "failed");
  const running = nodes.filter(({ job }) => job?.state === "running").length;
  const trouble =
    failed.length === 0
      ? ""
      : failed.length === 1
        ? failureOf(failed[0])
        : `tuning of ${nodesText(failed.length)} failed`;
  if (waiting.length > 0) {
    const wait = waiting.length === 1 ? `Database ${waiting[0]?.pod} waits` : `${count(waiting.length)} databases wait`;
    return `${wait}: ${trouble || (waiting.length === 1 ? waiting[0]?.because : "their nodes are not tuned for them yet")}`;
  }
  if (trouble !== "") return `No database waits, but ${trouble}`;
  if (running > 0) return `No database waits; ${nodesText(running)} ${running === 1 ? "is" : "are"} being tuned`;
  const tuned = nodes.filter(({ job }) => job?.state === "tuned").length;
  return tuned === 0
    ? `No database waits; no node is tuned, because none of ${nodesText(nodes.length)} has a database to tune for`
    : `No database waits; ${nodesText(tuned)} ${tuned === 1 ? "is" : "are"} tuned`;
}

function failureOf(node: ScyllaNodeView | undefined): string {
  const times = node?.job?.attempt ?? 1;
  return `tuning of ${node?.node} failed${times === 1 ? "" : times === 2 ? " twice" : ` ${times} times`}`;
}

function nodesText(number: number): string {
  return `${count(number)} ${number === 1 ? "node" : "nodes"}`;
}
