import { useEffect, useMemo, useState } from "react";
import { useParams, useSearch } from "wouter";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Empty, Failed, Forbidden, Loading } from "../parts/states.tsx";
import { useConnection, useTopic } from "../stream/use-topic.ts";
import type { DesignCluster } from "./cluster-objects.ts";
import { DesignBoard, fullChoices } from "./design-board.tsx";
import { DesignProblems } from "./design-problems.tsx";
import type { DomainClient } from "./domain-client.ts";
import { draftKey } from "./draft.ts";
import { type Address, Chooser, choiceOf, choicesIn, isNodePool, nameOf, type PoolChoice } from "./pool-choice.tsx";
import { usualChoices } from "./proposal-form.tsx";
import { Review } from "./review.tsx";
import { useDomain } from "./use-forecast.ts";
import { writtenOf } from "./written.ts";

/** Choose a pool or a profile; then divide its CPUs. */
export function Designer() {
  const { profile } = useParams<{ profile?: string }>();
  const { isLoaded, rows, sources } = useTopic("designs");
  const pool = new URLSearchParams(useSearch()).get("pool");
  const nodes = sources.get("Node");
  const title = <AnswerLine view="Design" answer={undefined} />;
  if (nodes?.state === "denied")
    return (
      <>
        {title}
        <Forbidden rule={nodes.rule} what="the nodes of this cluster" />
      </>
    );
  if (!isLoaded)
    return (
      <>
        {title}
        <Loading label="Loading the pools" />
      </>
    );
  const pools = choicesIn(rows);
  const profiles = [...rows].flatMap(([key, { profile }]) =>
    key.startsWith("profile/") ? [profile as PerformanceProfile] : [],
  );
  const unmanaged = rows.get("unmanaged")?.nodes;
  const problems = <DesignProblems sources={sources} unmanaged={unmanaged} />;
  if (pools.length === 0 && profiles.length === 0 && unmanaged !== undefined)
    return (
      <>
        {title}
        {problems}
      </>
    );
  const known = [...profiles.map(({ metadata }) => metadata.name), ...pools.map(({ divided }) => divided)];
  if (profile !== undefined && !known.includes(profile))
    return (
      <>
        {title}
        <Empty title={`There is no profile ${profile}`} command="kubectl get performanceprofiles">
          It was deleted, or it was never applied.
        </Empty>
      </>
    );
  return (
    <>
      {problems}
      <ChosenDesign key={`${profile} ${pool}`} address={{ profile, pool }} pools={pools} profiles={profiles} />
    </>
  );
}

interface ChosenProps {
  readonly address: Address;
  readonly pools: readonly PoolChoice[];
  readonly profiles: readonly PerformanceProfile[];
}

/** What is designed stays the same, whatever is applied meanwhile. */
function ChosenDesign({ address, pools, profiles }: ChosenProps) {
  const [{ pool, wanted }] = useState(() => choiceOf(address, pools));
  const edited = isNodePool(pool)
    ? pools.find(({ name }) => name === pool)?.profile
    : profiles.find(({ metadata }) => metadata.name === wanted);
  return <DesignOfPool {...{ pool, edited }} chooser={<Chooser {...{ pool, edited, pools, profiles }} />} />;
}

interface DesignOfPoolProps {
  readonly pool: string;
  readonly edited: PerformanceProfile | undefined;
  readonly chooser: React.ReactNode;
}

function DesignOfPool({ pool, edited, chooser }: DesignOfPoolProps) {
  const topic = useTopic(`design/${pool}` as "design/");
  const { hello } = useConnection();
  const version = hello?.version ?? "";
  const cluster = useMemo((): DesignCluster => {
    const rows = [...topic.rows.values()];
    const { hasPools = false, rollsOut = false, designed } = rows.find(({ facts }) => facts)?.facts ?? {};
    const objects = rows.flatMap(({ object }) => (object ? [object] : []));
    return { objects, hasPools, rollsOut, designed, version, now: new Date().toISOString() };
  }, [topic.rows, version]);
  const client = useDomain(cluster);
  const { start, problem } = useStart({ client, cluster, pool, edited, isReady: topic.isLoaded });
  const [review, setReview] = useState<{ yaml: string; profile: PerformanceProfile }>();
  if (problem !== undefined || !topic.isLoaded || !start)
    return (
      <>
        <AnswerLine view="Design" answer={undefined} />
        {problem === undefined ? (
          <Loading label="Loading the hardware of the pool" rows={8} />
        ) : (
          <Failed attempt={`propose a profile for pool ${pool}`} message={problem} />
        )}
      </>
    );
  const draft = draftKey(hello?.cluster ?? "", pool, edited?.metadata.name);
  if (review) return <Review {...review} {...{ pool, cluster, draft }} onBack={() => setReview(undefined)} />;
  return (
    <DesignBoard
      client={client}
      cluster={cluster}
      pool={nameOf(pool)}
      draftKey={draft}
      start={start}
      isEdit={edited !== undefined}
      chooser={chooser}
      onReview={(profile) => setReview({ yaml: writtenOf(profile, cluster.designed).applied, profile })}
    />
  );
}

interface StartInput {
  client: DomainClient | undefined;
  cluster: DesignCluster;
  pool: string;
  edited: PerformanceProfile | undefined;
  isReady: boolean;
}

/** What an edit starts from: the profile of the cluster, or a proposal for the pool. */
function useStart({ client, cluster, pool, edited, isReady }: StartInput) {
  const [start, setStart] = useState<PerformanceProfile>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (!client || !isReady || start) return;
    const begin = async (): Promise<void> => {
      try {
        setStart(edited ? withoutStatus(await client.call("convert", edited)) : await proposed(client, pool));
      } catch (error) {
        // Shown in the view.
        setProblem(error instanceof Error ? error.message : String(error));
      }
    };
    void begin();
  }, [client, cluster, pool, edited, isReady, start]);
  return { start, problem };
}

async function proposed(client: DomainClient, pool: string): Promise<PerformanceProfile> {
  const name = nameOf(pool);
  const role = isNodePool(pool) ? "worker" : name;
  const empty: PerformanceProfile = {
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name: `${name.replaceAll(/[^a-z0-9-]+/g, "-").replace(/-latency$/, "")}-latency` },
    spec: { cpu: { reserved: "", isolated: "" }, nodeSelector: { [`node-role.kubernetes.io/${role}`]: "" } },
  };
  // A small machine has fewer CPUs to spare.
  for (const reserved of [usualChoices.reserved, 2, 1]) {
    const choices = fullChoices(empty, { ...usualChoices, reserved });
    const proposal = await client.call("propose", { pool: name, isNodePool: isNodePool(pool), choices });
    if (proposal.type === "proposed") return proposal.profile;
  }
  return empty;
}

function withoutStatus({ apiVersion, kind, metadata, spec }: PerformanceProfile): PerformanceProfile {
  const { name, annotations, labels } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(annotations ? { annotations } : {}), ...(labels ? { labels } : {}) },
    ...(spec ? { spec } : {}),
  };
}
