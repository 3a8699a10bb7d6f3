import { Alert, Label, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useState } from "react";
import type { PlannedObject } from "../../../src/domain/plan/change-plan.ts";
import type { NodeChange } from "../../../src/domain/plan/node-changes.ts";
import { describeAgents, describeDatabases } from "../../../src/domain/plan/scylla/describe-scylla.ts";
import type { ScyllaChange } from "../../../src/domain/plan/scylla/scylla-change.ts";
import { describeProbe } from "../../../src/language/tuned/probe.ts";
import type { PlanAnswer } from "../../protocol/answers.ts";
import { BootWords } from "../design/result.tsx";
import { Diff } from "./diff.tsx";
import { NodePoolChanges, nodePoolCounts } from "./node-pool-changes.tsx";

export type Planned = Extract<PlanAnswer, { type: "plan" }>;

const marks = { create: "+", change: "~", delete: "-", none: "=" } as const;
const shownNodes = 5;
const shownSkipped = 10;
/** The diffs of so many objects are open at first. */
const openedObjects = 20;

/** One sentence: what a plan does. */
export function sentenceOf({ plan, reboots }: Planned): string {
  const changed = new Set([
    ...[...plan.changes, ...(plan.scylla?.agents ?? [])].flatMap(({ nodes }) => nodes),
    ...plan.pools.flatMap(({ order }) => order),
  ]);
  const inNodePools = nodePoolCounts(plan);
  const nodes = changed.size + inNodePools.changed;
  const restarts = reboots.length + inNodePools.reboots;
  const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
  const rollouts = plan.nodePools?.flatMap(({ rollout }) => (rollout?.upgradeType === "InPlace" ? rollout : [])) ?? [];
  const pace = [...plan.pools, ...rollouts].map(({ atOnce }) => atOnce);
  const objects = plan.objects.filter(({ change }) => change !== "none").length;
  const parts = [
    nodes === 0 ? "no node changes" : count(nodes, "node changes", "nodes change"),
    ...(inNodePools.replaced > 0 ? [count(inNodePools.replaced, "is replaced", "are replaced")] : []),
    restarts === 0
      ? "none reboots"
      : `${count(restarts, "reboots", "reboot")}${pace.length > 0 ? `, ${Math.max(...pace)} at a time` : ""}`,
  ];
  const warnings = plan.findings.filter(({ severity }) => severity !== "note").length;
  const head = objects === 0 && nodes === 0 ? "Nothing would change" : parts.join(", ");
  const sentence = head.charAt(0).toUpperCase() + head.slice(1);
  return warnings === 0 ? sentence : `${sentence}; ${count(warnings, "warning", "warnings")}`;
}

/** Everything that a plan says: objects, nodes, boot arguments, findings. */
export function PlanDocument({ planned }: { readonly planned: Planned }) {
  const { plan, reboots } = planned;
  const [active, setActive] = useState<string | number>("objects");
  // What happens to nodes of NodePools is told there: a management cluster may have no others.
  const hasNodes = !plan.nodePools || plan.changes.length + plan.boot.length + plan.pools.length > 0;
  return (
    <>
      {plan.findings.map(({ severity, about, message }) => (
        <Alert
          component="p"
          key={`${about} ${message}`}
          isInline
          isPlain
          variant={severity === "error" ? "danger" : severity === "warning" ? "warning" : "info"}
          title={about}
        >
          {message}
        </Alert>
      ))}
      {plan.skipped.slice(0, shownSkipped).map(({ place, kind, name, because }) => (
        <Alert
          component="p"
          key={`${place} ${kind} ${name}`}
          isInline
          isPlain
          variant="info"
          title={`${kind} ${name} is left out`}
        >
          {place}: {because}
        </Alert>
      ))}
      {plan.skipped.length > shownSkipped ? (
        <p className="attune-note">{plan.skipped.length - shownSkipped} more objects are left out.</p>
      ) : null}
      <Tabs activeKey={active} onSelect={(_, key) => setActive(key)} aria-label="The plan" isBox>
        <Tab eventKey="objects" title={<TabTitleText>{`Objects ${plan.objects.length}`}</TabTitleText>}>
          {plan.objects.map((object) => (
            <PlannedDetails
              key={`${object.kind} ${object.namespace} ${object.name}`}
              object={object}
              isFirst={!object.derived && object.diff !== "" && plan.objects.length <= openedObjects}
            />
          ))}
        </Tab>
        {hasNodes ? (
          <Tab
            eventKey="nodes"
            title={
              <TabTitleText>{`Nodes ${plan.changes.reduce((sum, { nodes }) => sum + nodes.length, 0)}`}</TabTitleText>
            }
          >
            {plan.changes.length === 0 ? <p>No node gets another profile or setting.</p> : null}
            {plan.changes.map((change) => (
              <section key={change.nodes.join()} className="plan-nodes" aria-label={few(change.nodes)}>
                <h2>
                  {few(change.nodes)}:{" "}
                  {change.before === change.after
                    ? change.after
                    : `${change.before ?? "no profile"} → ${change.after ?? "no profile"}`}
                </h2>
                {change.problems.map((problem) => (
                  <Alert component="p" key={problem} isInline isPlain variant="danger" title="Cannot apply">
                    {problem}
                  </Alert>
                ))}
                <Notes change={change} />
                <ul className="plan-settings">
                  {change.options.map(({ option, before, after }) => (
                    <li key={option}>
                      agent {option}: {before} → {after}
                    </li>
                  ))}
                  {change.settings.map(({ unit, option, before, after }) => (
                    <li key={`${unit} ${option}`}>
                      {unit} {option}: {before?.value ?? "not set"} → {after?.value ?? "as it was"}
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </Tab>
        ) : null}
        {plan.nodePools ? (
          <Tab eventKey="node-pools" title={<TabTitleText>{`NodePools ${plan.nodePools.length}`}</TabTitleText>}>
            <NodePoolChanges nodePools={plan.nodePools} />
          </Tab>
        ) : null}
        {plan.scylla ? (
          <Tab eventKey="scylla" title={<TabTitleText>{`Scylla ${countOf(plan.scylla)}`}</TabTitleText>}>
            <ScyllaChanges change={plan.scylla} />
          </Tab>
        ) : null}
        {hasNodes ? (
          <Tab eventKey="boot" title={<TabTitleText>{`Boot ${plan.boot.length}`}</TabTitleText>}>
            <BootWords boot={plan.boot} />
          </Tab>
        ) : null}
        {hasNodes ? (
          <Tab eventKey="reboots" title={<TabTitleText>{`Reboots ${reboots.length}`}</TabTitleText>}>
            {plan.pools.length === 0 ? <p>No pool gets another config.</p> : null}
            {plan.pools.map(({ pool, updates, order, atOnce, waits }) => (
              <section key={pool} aria-label={`Pool ${pool}`}>
                <h2>
                  Pool {pool}, {atOnce} at a time: {few(order)}
                </h2>
                <ul>
                  {updates.map(({ nodes, level, because, problem }) => (
                    <li key={nodes.join()}>
                      {level}: {few(nodes)}
                      {because.length > 0 ? `, because of ${few(because)}` : ""}
                      {problem === undefined ? "" : `; they would refuse it: ${problem}`}
                    </li>
                  ))}
                </ul>
                {waits.map(({ message }) => (
                  <p key={message}>Waits: {message}</p>
                ))}
              </section>
            ))}
          </Tab>
        ) : null}
      </Tabs>
    </>
  );
}

/** What of a change does not come at once, or is not known before. */
function Notes({ change: { deferred, unresolved, settings, options, problems } }: { readonly change: NodeChange }) {
  const notes = [
    ...(deferred ? [`Deferred (${deferred}): waits for the next restart of the node.`] : []),
    ...unresolved.map((probe) => `Not evaluated: depends on ${describeProbe(probe)} on the node.`),
    ...(settings.length + options.length + problems.length === 0 ? ["No setting changes."] : []),
  ];
  return notes.map((note) => (
    <p key={note} className="attune-note">
      {note}
    </p>
  ));
}

/** Nodes whose agent changes, and databases whose start does. */
function countOf({ agents, databases }: ScyllaChange): number {
  return agents.flatMap(({ nodes }) => nodes).length + databases.flatMap(({ pods }) => pods).length;
}

function ScyllaChanges({ change: { agents, databases } }: { readonly change: ScyllaChange }) {
  const lines = [
    ...agents.map((one) => ({ names: one.nodes, about: "Nodes", text: describeAgents(one), variant: undefined })),
    ...databases.map((one) => ({
      names: one.pods,
      about: "Databases",
      text: describeDatabases(one),
      variant: variants[one.becomes],
    })),
  ];
  return lines.map(({ names, about, text, variant }) => (
    <section key={`${about} ${names.join()}`} className="plan-nodes" aria-label={`${about}: ${few(names)}`}>
      <h2>
        {about} {few(names)}
      </h2>
      {variant ? <Alert component="p" isInline isPlain variant={variant} title={text} /> : <p>{text}</p>}
    </section>
  ));
}

const variants = { tuned: undefined, untuned: "warning", waiting: "danger" } as const;

/** A folder may have a thousand objects: a diff is drawn only when it is looked at. */
function PlannedDetails({ object, isFirst }: { readonly object: PlannedObject; readonly isFirst: boolean }) {
  const { kind, namespace, name, change, place, diff } = object;
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <details className="plan-object" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className="plan-mark">{marks[change]}</span> {kind} <b>{namespace ? `${namespace}/${name}` : name}</b>{" "}
        <Label isCompact variant="outline">
          {change === "none" ? "no change" : change}
        </Label>{" "}
        <span className="plan-place">{place}</span>
      </summary>
      {isOpen ? diff === "" ? <p>It stays as it is.</p> : <Diff text={diff} label={`${kind} ${name}`} /> : null}
    </details>
  );
}

function few(names: readonly string[]): string {
  const left = names.length - shownNodes;
  return left > 0 ? `${names.slice(0, shownNodes).join(", ")} and ${left} more` : names.join(", ");
}
