import { useMemo } from "react";
import { clustersSentence } from "../../../src/domain/node-pool/view/clusters-sentence.ts";
import type { Source } from "../../protocol/frames.ts";
import type { RowOf } from "../../protocol/topics.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Announcer } from "../parts/announcer.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Empty, Failed, Forbidden, Loading } from "../parts/states.tsx";
import { useStream, useTopic } from "../stream/use-topic.ts";
import "./clusters.css";
import { NodePoolChains } from "./node-pool-chains.tsx";
import { sidesOf, SideStates } from "./side-states.tsx";

type Row = RowOf<"clusters">;

/** Which ConfigMap of the management cluster became which object of a hosted one? */
export function Clusters() {
  const { isLoaded, rows, sources } = useTopic("clusters");
  const { stream } = useStream();
  const sides = useMemo(() => sidesOf(sources), [sources]);
  if (rows.size > 0)
    return (
      <>
        <Answer rows={rows} />
        <SideStates sides={sides} onRetry={() => stream.retry()} />
        <Pools rows={rows} />
      </>
    );
  return (
    <>
      <AnswerLine view="Clusters" answer={undefined} />
      <NoRows isLoaded={isLoaded} sources={sources} />
    </>
  );
}

function NoRows({ isLoaded, sources }: { readonly isLoaded: boolean; readonly sources: ReadonlyMap<string, Source> }) {
  const { stream } = useStream();
  const refused = [...sources].find(([kind, { state }]) => kind.startsWith("NodePool ") && state === "denied")?.[1];
  const failed = failureOf(sources);
  if (refused?.state === "denied")
    return <Forbidden rule={refused.rule} what="the NodePools of the management cluster" />;
  if (failed !== undefined)
    return <Failed attempt="read the NodePools" message={failed} onRetry={() => stream.retry()} />;
  if (!isLoaded || [...sources.values()].some(({ state }) => state === "loading"))
    return <Loading label="Loading the clusters" rows={8} />;
  return (
    <Empty title="No NodePools" command="attune up --mode hosted">
      None of the clusters of this console has a NodePool. NodePools are in the management cluster of hosted control
      planes; this command starts such a pair for a trial.
    </Empty>
  );
}

function failureOf(sources: ReadonlyMap<string, Source>): string | undefined {
  for (const [kind, source] of sources)
    if (source.state === "failed" && (kind.startsWith("NodePool ") || kind === "rows")) return source.message;
  return undefined;
}

function Answer({ rows }: { readonly rows: ReadonlyMap<string, Row> }) {
  const all = [...rows.values()];
  const sentence = clustersSentence(
    all.flatMap(({ chain }) => (chain ? [chain.state] : [])),
    all.filter(({ pool }) => pool).length,
  );
  return (
    <>
      <AnswerLine
        view="Clusters"
        answer={sentence}
        actions={<CopyCommand command="kubectl get nodepools,configmaps -A -l hypershift.openshift.io/nodePool" />}
      />
      <Announcer text={sentence} />
    </>
  );
}

const natural = new Intl.Collator("en", { numeric: true });
const ranks = ["not valid", "edited", "on the way", "not seen", "in sync"];

function Pools({ rows }: { readonly rows: ReadonlyMap<string, Row> }) {
  const groups = useMemo(() => {
    const all = [...rows.values()];
    return all
      .filter(({ pool }) => pool)
      .toSorted((a, b) => natural.compare(a.nodePool, b.nodePool))
      .map((pool) => ({
        pool,
        chains: all
          .filter(
            ({ chain, nodePool, management }) => chain && nodePool === pool.nodePool && management === pool.management,
          )
          .toSorted(
            (a, b) =>
              ranks.indexOf(a.chain?.state ?? "") - ranks.indexOf(b.chain?.state ?? "") ||
              natural.compare(a.chain?.configMap ?? "", b.chain?.configMap ?? ""),
          ),
      }));
  }, [rows]);
  return groups.map(({ pool, chains }) => (
    <NodePoolChains key={`${pool.management} ${pool.nodePool}`} row={pool} chains={chains} />
  ));
}
