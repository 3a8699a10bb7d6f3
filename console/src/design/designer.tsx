import { FormGroup, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { useEffect, useMemo, useState } from "react";
import { useLocation, useParams, useSearch } from "wouter";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Empty, Failed, Forbidden, Loading, SourceProblems } from "../parts/states.tsx";
import { useConnection, useTopic } from "../stream/use-topic.ts";
import type { DesignCluster } from "./cluster-objects.ts";
import { DesignBoard, fullChoices } from "./design-board.tsx";
import type { DomainClient } from "./domain-client.ts";
import { draftKey } from "./draft.ts";
import { usualChoices } from "./proposal-form.tsx";
import { Review } from "./review.tsx";
import { useDomain } from "./use-forecast.ts";

const what = { Node: "the nodes", MachineConfigPool: "the pools", PerformanceProfile: "the performance profiles" };

interface PoolChoice {
  readonly name: string;
  readonly nodes: number;
  /** Its profile. */
  readonly divided: string | undefined;
}

interface Address {
  readonly profile: string | undefined;
  readonly pool: string | null;
}

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
  const pools = [...rows].flatMap(([key, { nodes = 0, divided }]): PoolChoice[] =>
    key.startsWith("pool/") ? [{ name: key.slice(5), nodes, divided }] : [],
  );
  const profiles = [...rows.values()].flatMap(({ profile }) => (profile ? [profile as PerformanceProfile] : []));
  if (profile !== undefined && !profiles.some(({ metadata }) => metadata.name === profile))
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
      <SourceProblems sources={sources} what={what} />
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
  const [, navigate] = useLocation();
  const edited = profiles.find(({ metadata }) => metadata.name === wanted);
  const go = (to: string): void => navigate(to);
  const chooser = (
    <>
      <FormGroup label="Pool" fieldId="design-pool">
        <FormSelect
          id="design-pool"
          value={pool}
          onChange={(_, value) => go(`/design?pool=${encodeURIComponent(value)}`)}
        >
          {pools.length === 0 ? <FormSelectOption value={pool} label={pool} /> : null}
          {pools.map(({ name, nodes }) => (
            <FormSelectOption key={name} value={name} label={`${name}, ${nodes} ${nodes === 1 ? "node" : "nodes"}`} />
          ))}
        </FormSelect>
      </FormGroup>
      <FormGroup label="Profile" fieldId="design-profile">
        <FormSelect
          id="design-profile"
          value={edited?.metadata.name ?? ""}
          onChange={(_, value) => go(value === "" ? "/design" : `/design/${encodeURIComponent(value)}`)}
        >
          <FormSelectOption
            value=""
            label="A new one"
            isDisabled={pools.length > 0 && pools.every(({ divided }) => divided !== undefined)}
          />
          {profiles.map(({ metadata }) => (
            <FormSelectOption key={metadata.name} value={metadata.name} label={`Edit ${metadata.name}`} />
          ))}
        </FormSelect>
      </FormGroup>
    </>
  );
  return <DesignOfPool pool={pool} edited={edited} chooser={chooser} />;
}

/** A pool has one profile: who asks for no pool gets one that lacks it, where there is one. */
function choiceOf(
  { profile, pool }: Address,
  pools: readonly PoolChoice[],
): { pool: string; wanted?: string | undefined } {
  const workers = pools.filter(({ nodes, name }) => nodes > 0 && name !== "master");
  const chosen =
    pools.find(({ name, divided }) => (profile === undefined ? name === pool : divided === profile)) ??
    workers.find(({ divided }) => divided === undefined) ??
    workers[0] ??
    pools[0];
  return { pool: chosen?.name ?? "all nodes", wanted: profile ?? chosen?.divided };
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
    const { hasPools = false, rollsOut = false } = rows.find(({ facts }) => facts)?.facts ?? {};
    const objects = rows.flatMap(({ object }) => (object ? [object] : []));
    return { objects, hasPools, rollsOut, version, now: new Date().toISOString() };
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
      pool={pool}
      draftKey={draft}
      start={start}
      isEdit={edited !== undefined}
      chooser={chooser}
      onReview={(yaml, profile) => setReview({ yaml, profile })}
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
  const empty: PerformanceProfile = {
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name: `${pool.replaceAll(/[^a-z0-9-]+/g, "-").replace(/-latency$/, "")}-latency` },
    spec: { cpu: { reserved: "", isolated: "" }, nodeSelector: { [`node-role.kubernetes.io/${pool}`]: "" } },
  };
  // A small machine has fewer CPUs to spare.
  for (const reserved of [usualChoices.reserved, 2, 1]) {
    const proposal = await client.call("propose", { pool, choices: fullChoices(empty, { ...usualChoices, reserved }) });
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
