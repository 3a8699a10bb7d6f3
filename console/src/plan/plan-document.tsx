import { Alert, Label, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useState } from "react";
import type { PlanAnswer } from "../../protocol/answers.ts";
import { BootWords } from "../design/result.tsx";
import { Diff } from "./diff.tsx";

export type Planned = Extract<PlanAnswer, { type: "plan" }>;

const marks = { create: "+", change: "~", delete: "-", none: "=" } as const;
const shownNodes = 5;

/** One sentence: what a plan does. */
export function sentenceOf({ plan, reboots }: Planned): string {
  const changed = new Set([...plan.changes.flatMap(({ nodes }) => nodes), ...plan.pools.flatMap(({ order }) => order)]);
  const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
  const pace = plan.pools.map(({ atOnce }) => atOnce);
  const objects = plan.objects.filter(({ change }) => change !== "none").length;
  const parts = [
    changed.size === 0 ? "no node changes" : count(changed.size, "node changes", "nodes change"),
    reboots.length === 0
      ? "none reboots"
      : `${count(reboots.length, "reboots", "reboot")}${pace.length > 0 ? `, ${Math.max(...pace)} at a time` : ""}`,
  ];
  const warnings = plan.findings.filter(({ severity }) => severity !== "note").length;
  const head = objects === 0 && changed.size === 0 ? "Nothing would change" : parts.join(", ");
  const sentence = head.charAt(0).toUpperCase() + head.slice(1);
  return warnings === 0 ? sentence : `${sentence}; ${count(warnings, "warning", "warnings")}`;
}

/** Everything that a plan says: objects, nodes, boot arguments, findings. */
export function PlanDocument({ planned }: { readonly planned: Planned }) {
  const { plan, reboots } = planned;
  const [active, setActive] = useState<string | number>("objects");
  return (
    <>
      {plan.findings.map(({ severity, about, message }) => (
        <Alert
          key={`${about} ${message}`}
          isInline
          isPlain
          variant={severity === "error" ? "danger" : severity === "warning" ? "warning" : "info"}
          title={about}
        >
          {message}
        </Alert>
      ))}
      {plan.skipped.map(({ place, kind, name, because }) => (
        <Alert key={`${place} ${kind} ${name}`} isInline isPlain variant="info" title={`${kind} ${name} is left out`}>
          {place}: {because}
        </Alert>
      ))}
      <Tabs activeKey={active} onSelect={(_, key) => setActive(key)} aria-label="The plan" isBox>
        <Tab eventKey="objects" title={<TabTitleText>{`Objects ${plan.objects.length}`}</TabTitleText>}>
          {plan.objects.map(({ kind, namespace, name, change, derived, place, diff }) => (
            <details key={`${kind} ${namespace} ${name}`} className="plan-object" open={!derived && diff !== ""}>
              <summary>
                <span className="plan-mark">{marks[change]}</span> {kind}{" "}
                <b>{namespace ? `${namespace}/${name}` : name}</b>{" "}
                <Label isCompact variant="outline">
                  {change === "none" ? "no change" : change}
                </Label>{" "}
                <span className="plan-place">{place}</span>
              </summary>
              {diff === "" ? <p>It stays as it is.</p> : <Diff text={diff} label={`${kind} ${name}`} />}
            </details>
          ))}
        </Tab>
        <Tab
          eventKey="nodes"
          title={
            <TabTitleText>{`Nodes ${plan.changes.reduce((sum, { nodes }) => sum + nodes.length, 0)}`}</TabTitleText>
          }
        >
          {plan.changes.length === 0 ? <p>No node gets another profile or setting.</p> : null}
          {plan.changes.map((change) => (
            <section key={change.nodes.join()} className="plan-nodes" aria-label={few(change.nodes)}>
              <h3>
                {few(change.nodes)}:{" "}
                {change.before === change.after
                  ? change.after
                  : `${change.before ?? "no profile"} → ${change.after ?? "no profile"}`}
              </h3>
              {change.problems.map((problem) => (
                <Alert key={problem} isInline isPlain variant="danger" title="Cannot apply">
                  {problem}
                </Alert>
              ))}
              <ul className="plan-settings">
                {change.settings.map(({ unit, option, before, after }) => (
                  <li key={`${unit} ${option}`}>
                    {unit} {option}: {before?.value ?? "not set"} → {after?.value ?? "as it was"}
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </Tab>
        <Tab eventKey="boot" title={<TabTitleText>{`Boot ${plan.boot.length}`}</TabTitleText>}>
          <BootWords boot={plan.boot} />
        </Tab>
        <Tab eventKey="reboots" title={<TabTitleText>{`Reboots ${reboots.length}`}</TabTitleText>}>
          {plan.pools.length === 0 ? <p>No pool gets another config.</p> : null}
          {plan.pools.map(({ pool, updates, order, atOnce, waits }) => (
            <section key={pool} aria-label={`Pool ${pool}`}>
              <h3>
                Pool {pool}, {atOnce} at a time: {few(order)}
              </h3>
              <ul>
                {updates.map(({ nodes, level, because, problem }) => (
                  <li key={nodes.join()}>
                    {level}: {few(nodes)}
                    {because.length > 0 ? `, because of ${few(because)}` : ""}
                    {problem === undefined ? "" : `; they would refuse it: ${problem}`}
                  </li>
                ))}
              </ul>
              {waits.length > 0 ? <p>Waits: {JSON.stringify(waits)}</p> : null}
            </section>
          ))}
        </Tab>
      </Tabs>
    </>
  );
}

function few(names: readonly string[]): string {
  const left = names.length - shownNodes;
  return left > 0 ? `${names.slice(0, shownNodes).join(", ")} and ${left} more` : names.join(", ");
}
