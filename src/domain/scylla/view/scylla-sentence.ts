import { count } from "../../fleet/fleet-summary.ts";
import { failureText } from "./failure-text.ts";
import type { ScyllaNodeView } from "./scylla-node.ts";

/** Which databases wait, and for what; or that none does. */
export function scyllaSentence(nodes: readonly ScyllaNodeView[]): string {
  const waiting = nodes.flatMap(({ gates }) => gates.filter(({ state }) => state === "waits"));
  const [first] = waiting;
  if (first) {
    const wait = waiting.length === 1 ? `Database ${first.pod} waits` : `${count(waiting.length)} databases wait`;
    const causes = new Set(waiting.map(({ because }) => because));
    return `${wait}: ${first.because}${causes.size > 1 ? `, and ${count(causes.size - 1)} more` : ""}`;
  }
  const of = (state: string): ScyllaNodeView[] => nodes.filter(({ job }) => job?.state === state);
  const failed = of("failed");
  const running = of("running").length;
  const tuned = of("tuned").length;
  if (failed.length === 1)
    return `No database waits, but ${failureText(failed[0]?.node ?? "", failed[0]?.job?.attempt)}`;
  if (failed.length > 1) return `No database waits, but tuning of ${many(failed.length)} failed`;
  if (running > 0) return `No database waits; ${many(running)} ${running === 1 ? "is" : "are"} being tuned`;
  return tuned === 0
    ? `No database waits; none of ${many(nodes.length)} has been tuned`
    : `No database waits; ${many(tuned)} ${tuned === 1 ? "is" : "are"} tuned`;
}

function many(nodes: number): string {
  return `${count(nodes)} ${nodes === 1 ? "node" : "nodes"}`;
}
