import { useMemo } from "react";
import { Link, useParams } from "wouter";
import { isOpen, poolSentence, rolloutSentence } from "../../../src/domain/rollout/view/rollout-sentence.ts";
import type { Source } from "../../protocol/frames.ts";
import type { RowOf } from "../../protocol/topics.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Announcer } from "../parts/announcer.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Empty, Failed, Forbidden, Loading, SourceProblems } from "../parts/states.tsx";
import { useStream, useTopic } from "../stream/use-topic.ts";
import { PoolSection } from "./pool-section.tsx";
import "./rollout.css";

type Row = RowOf<"rollout">;

const what = {
  Node: "the nodes",
  MachineConfigPool: "the pools",
  NodePool: "the NodePools",
  ConfigMap: "what hosted clusters report about NodePools",
  ControllerConfig: "who rolls out pools",
  rows: "the rollouts",
};

/** What does the rollout wait for, and how do I stop it? */
export function Rollout() {
  const { isLoaded, rows, sources } = useTopic("rollout");
  const chosen = Object.values(useParams()).filter(Boolean).join("/");
  const problems = useMemo(() => relevant(sources), [sources]);
  if (rows.size > 0)
    return (
      <>
        <Pools rows={rows} chosen={chosen} />
        <SourceProblems sources={problems} what={what} />
      </>
    );
  return (
    <>
      <AnswerLine view="Rollout" answer={undefined} />
      <NoRows isLoaded={isLoaded} sources={problems} />
    </>
  );
}

function NoRows({ isLoaded, sources }: { readonly isLoaded: boolean; readonly sources: ReadonlyMap<string, Source> }) {
  const { stream } = useStream();
  const refused = [...sources.values()].find(({ state }) => state === "denied" || state === "failed");
  if (refused?.state === "denied") return <Forbidden rule={refused.rule} what="the rollouts of this cluster" />;
  if (refused?.state === "failed")
    return <Failed attempt="read the pools of this cluster" message={refused.message} onRetry={() => stream.retry()} />;
  if (!isLoaded || [...sources.values()].some(({ state }) => state === "loading"))
    return <Loading label="Loading the pools" rows={8} />;
  return (
    <Empty title="No pools" command="kubectl get machineconfigpools,nodepools -A">
      This cluster has no MachineConfigPool and no NodePool: profiles take effect on running nodes, and nothing is
      rolled out. Pools come with OpenShift, or where Attune was installed with machine configuration.
    </Empty>
  );
}

/** Reports matter only where there are NodePools. */
function relevant(sources: ReadonlyMap<string, Source>): ReadonlyMap<string, Source> {
  const hasNodePools = sources.get("NodePool")?.state === "ready";
  return new Map([...sources].filter(([kind]) => kind !== "ConfigMap" || hasNodePools));
}

const natural = new Intl.Collator("en", { numeric: true });

function Pools({ rows, chosen }: { readonly rows: ReadonlyMap<string, Row>; readonly chosen: string }) {
  const all = useMemo(
    () =>
      [...rows.values()].toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || natural.compare(a.name, b.name)),
    [rows],
  );
  const shown = chosen === "" ? all : all.filter(({ name }) => name === chosen);
  const [only] = shown;
  const sentence = chosen !== "" && only ? poolSentence(only) : rolloutSentence(all);
  return (
    <>
      <AnswerLine view="Rollout" answer={sentence} actions={<CopyCommand command="attune status" />} />
      <Announcer text={sentence} />
      {chosen === "" ? undefined : (
        <p>
          <Link href="/rollout">All {all.length} pools</Link>
        </p>
      )}
      {only ? (
        shown.map((row) => (
          <PoolSection key={`${row.kind} ${row.name}`} row={row} isExpanded={chosen !== "" || isOpen(row)} />
        ))
      ) : (
        <Empty title={`There is no pool ${chosen}`} command="kubectl get machineconfigpools,nodepools -A">
          It may have been deleted since the address was written.
        </Empty>
      )}
    </>
  );
}
