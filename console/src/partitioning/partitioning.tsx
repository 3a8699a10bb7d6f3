import { Title } from "@patternfly/react-core";
import { useMemo } from "react";
import { recentRefusals } from "../../../src/domain/admission-log/admission-decision.ts";
import { partitioningSentence } from "../../../src/domain/admission-log/partitioning-sentence.ts";
import type { Source } from "../../protocol/frames.ts";
import type { RowOf } from "../../protocol/topics.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Announcer } from "../parts/announcer.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Empty, Failed, Forbidden, Loading, SourceProblems } from "../parts/states.tsx";
import { useNow } from "../parts/use-now.ts";
import { useStream, useTopic } from "../stream/use-topic.ts";
import { Containers } from "./containers.tsx";
import { Decisions } from "./decisions.tsx";
import "./partitioning.css";

type Row = RowOf<"partitioning">;

const what = {
  Infrastructure: "the mode of the cluster",
  ConfigMap: "the mode of the cluster",
  Event: "refusals",
  Pod: "the pods",
  rows: "the decisions",
};

/** Why was my pod refused, or where does it run? */
export function Partitioning() {
  const { isLoaded, rows, sources } = useTopic("partitioning");
  const cluster = rows.get("cluster")?.cluster;
  const isKnown = isLoaded && cluster !== undefined;
  const refused = sources.get("Pod");
  if (isKnown && refused?.state !== "denied")
    return (
      <>
        <Admission rows={rows} cluster={cluster} />
        <SourceProblems sources={sources} what={what} />
      </>
    );
  return (
    <>
      <AnswerLine view="Partitioning" answer={undefined} />
      <NoRows sources={sources} />
    </>
  );
}

function NoRows({ sources }: { readonly sources: ReadonlyMap<string, Source> }) {
  const { stream } = useStream();
  const pods = sources.get("Pod");
  const failed = [...sources.values()].find(({ state }) => state === "failed");
  if (pods?.state === "denied") return <Forbidden rule={pods.rule} what="the pods of this cluster" />;
  if (failed?.state === "failed")
    return <Failed attempt="read what admission decided" message={failed.message} onRetry={() => stream.retry()} />;
  return <Loading label="Loading the decisions" rows={8} />;
}

interface AdmissionProps {
  readonly rows: ReadonlyMap<string, Row>;
  readonly cluster: NonNullable<Row["cluster"]>;
}

function Admission({ rows, cluster }: AdmissionProps) {
  const now = useNow();
  const decisions = useMemo(
    () =>
      [...rows]
        .flatMap(([key, { decision }]) => (decision ? [{ key, ...decision }] : []))
        .toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
    [rows],
  );
  const sentence = partitioningSentence(cluster, recentRefusals(decisions, now));
  return (
    <>
      <AnswerLine
        view="Partitioning"
        answer={sentence}
        actions={<CopyCommand command="kubectl get events -A --field-selector reason=AdmissionRefused" />}
      />
      <Announcer text={sentence} />
      {decisions.length === 0 ? (
        cluster.mode === "None" ? (
          <Empty title="This cluster is not partitioned" command="attune install --help">
            In mode None pods run on all CPUs, and admission changes none. The mode is set when a cluster is installed,
            and never after.
          </Empty>
        ) : (
          <Empty title="No decisions" command="attune explain pod NAME">
            No pod asks for reserved CPUs yet. Decisions of admission appear here as they happen.
          </Empty>
        )
      ) : (
        <section aria-labelledby="partitioning-decisions">
          <Title headingLevel="h2" size="lg" id="partitioning-decisions">
            Decisions of admission
          </Title>
          <Decisions decisions={decisions} />
        </section>
      )}
      {cluster.nodes.length === 0 ? undefined : <Containers nodes={cluster.nodes} />}
    </>
  );
}
