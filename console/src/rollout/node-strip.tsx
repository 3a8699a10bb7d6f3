import type { ActiveNode } from "../../../src/domain/rollout/view/active-node.ts";
import { steps, type StepState } from "../../../src/domain/rollout/view/node-steps.ts";
import { Link } from "wouter";
import { ageText } from "../parts/since.ts";

const marks: Readonly<Record<StepState, { readonly sign: string; readonly spoken: string }>> = {
  done: { sign: "✓", spoken: "done" },
  now: { sign: "●", spoken: "now" },
  failed: { sign: "✕", spoken: "failed" },
  later: { sign: "", spoken: "to do" },
  skipped: { sign: "–", spoken: "not needed" },
};

/** One node on its way: what it does, for how long, what it waits for, and the steps that are left. */
export function NodeStrip({ node, now }: { readonly node: ActiveNode; readonly now: number }) {
  const { node: name, doing, since, failsAt, blocked, more } = node;
  return (
    <li className="rollout-node">
      <div className="rollout-node-line">
        <Link href={`/nodes/${encodeURIComponent(name)}`}>{name}</Link> {doing}
        {since === undefined ? "" : ` ${ageText(since, now)}`}
        {failsAt === undefined ? undefined : <span className="attune-note"> (fails {untilText(failsAt, now)})</span>}
      </div>
      {blocked.map(({ pod, budgets, message }) => (
        <div key={pod} className="rollout-cause">
          pod <code>{pod}</code>
          {budgets.length === 0 ? (
            `: ${message}`
          ) : (
            <>
              {": "}
              {budgets.length === 1 ? "disruption budget" : "disruption budgets"} <code>{budgets.join(", ")}</code>{" "}
              allows 0
            </>
          )}
        </div>
      ))}
      {more > 0 ? <div className="rollout-cause">and {more} more pods</div> : undefined}
      <ol className="rollout-strip" aria-label={`Steps of ${name}`}>
        {steps.map((step) => {
          const state = node.steps[step];
          return (
            <li key={step} className={`rollout-step rollout-step-${state}`}>
              <span aria-hidden="true">{marks[state].sign}</span> {step}
              <span className="pf-v6-screen-reader"> {marks[state].spoken}</span>
            </li>
          );
        })}
      </ol>
    </li>
  );
}

function untilText(at: string, now: number): string {
  const minutes = Math.ceil((Date.parse(at) - now) / 60_000);
  return minutes <= 0 ? "now" : `in ${minutes} m`;
}
