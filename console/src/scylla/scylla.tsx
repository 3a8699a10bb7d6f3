import { useMemo } from "react";
import { scyllaSentence } from "../../../src/domain/scylla/view/scylla-sentence.ts";
import type { Source } from "../../protocol/frames.ts";
import type { RowOf } from "../../protocol/topics.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Announcer } from "../parts/announcer.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Empty, Failed, Forbidden, Loading, SourceProblems } from "../parts/states.tsx";
import { useStream, useTopic } from "../stream/use-topic.ts";
import { NodeConfigs } from "./node-configs.tsx";
import { ScyllaTable } from "./scylla-table.tsx";
import "./scylla.css";

type Row = RowOf<"scylla">;

const what = {
  ScyllaNodeConfig: "the ScyllaNodeConfigs",
  Job: "the tuning Jobs",
  Pod: "the pods of databases",
  ConfigMap: "what opens gates",
  Node: "the nodes",
  rows: "the databases",
};

/** Which database waits, and for what? */
export function Scylla() {
  const { isLoaded, rows, sources } = useTopic("scylla");
  if (rows.size > 0)
    return (
      <>
        <Databases rows={rows} />
        <SourceProblems sources={sources} what={what} />
      </>
    );
  return (
    <>
      <AnswerLine view="Scylla" answer={undefined} />
      <NoRows isLoaded={isLoaded} sources={sources} />
    </>
  );
}

function NoRows({ isLoaded, sources }: { readonly isLoaded: boolean; readonly sources: ReadonlyMap<string, Source> }) {
  const { stream } = useStream();
  const refused = [...sources.values()].find(({ state }) => state === "denied" || state === "failed");
  if (refused?.state === "denied") return <Forbidden rule={refused.rule} what="the databases of this cluster" />;
  if (refused?.state === "failed")
    return <Failed attempt="read the databases" message={refused.message} onRetry={() => stream.retry()} />;
  if (!isLoaded || [...sources.values()].some(({ state }) => state === "loading"))
    return <Loading label="Loading the databases" rows={8} />;
  return (
    <Empty title="No databases" command="attune install --scylla">
      This cluster has no ScyllaNodeConfig and no pod of a ScyllaDB database. This command prints what tuning nodes for
      them needs.
    </Empty>
  );
}

const natural = new Intl.Collator("en", { numeric: true });

function Databases({ rows }: { readonly rows: ReadonlyMap<string, Row> }) {
  const nodes = useMemo(
    () =>
      [...rows.values()]
        .flatMap(({ node }) => node ?? [])
        .toSorted((a, b) => need(b) - need(a) || natural.compare(a.node, b.node)),
    [rows],
  );
  const configs = useMemo(
    () => [...rows].flatMap(([key, { config }]) => (config ? [{ name: key.slice("config/".length), config }] : [])),
    [rows],
  );
  const sentence = scyllaSentence(nodes);
  return (
    <>
      <AnswerLine
        view="Scylla"
        answer={sentence}
        actions={<CopyCommand command="kubectl get scyllanodeconfigs,jobs -n scylla-operator-node-tuning" />}
      />
      <Announcer text={sentence} />
      <ScyllaTable nodes={nodes} />
      <NodeConfigs configs={configs} />
    </>
  );
}

/** Nodes whose databases wait come first. */
function need({ gates, job }: NonNullable<Row["node"]>): number {
  return (gates.some(({ state }) => state === "waits") ? 2 : 0) + (job?.state === "failed" ? 1 : 0);
}
