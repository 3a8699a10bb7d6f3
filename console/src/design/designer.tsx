import { FormGroup, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { useEffect, useMemo, useState } from "react";
import { useLocation, useParams, useSearch } from "wouter";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { poolFor } from "../../../src/domain/performance-profile/pools.ts";
import type { MachineConfigPool } from "../../../src/domain/machine-config/api.ts";
import { Empty, Failed, Forbidden, Loading, SourceProblems } from "../parts/states.tsx";
import { useConnection, useTopic } from "../stream/use-topic.ts";
import type { DesignCluster } from "./cluster-objects.ts";
import { DesignBoard, fullChoices } from "./design-board.tsx";
import type { DomainClient } from "./domain-client.ts";
import { usualChoices } from "./proposal-form.tsx";
import { Review } from "./review.tsx";
import { useDomain } from "./use-forecast.ts";

const what = { Node: "the nodes", MachineConfigPool: "the pools", PerformanceProfile: "the performance profiles" };

/** Choose a pool or a profile; then divide its CPUs. */
export function Designer() {
  const { profile: name } = useParams<{ profile?: string }>();
  const { isLoaded, rows, sources } = useTopic("designs");
  const search = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const nodes = sources.get("Node");
  if (nodes?.state === "denied") return <Forbidden rule={nodes.rule} what="the nodes of this cluster" />;
  if (!isLoaded) return <Loading label="Loading the pools" />;
  const pools = [...rows].flatMap(([key, { nodes }]) =>
    key.startsWith("pool/") ? [{ name: key.slice(5), nodes }] : [],
  );
  const profiles = [...rows.values()].flatMap(({ profile }) => (profile ? [profile as PerformanceProfile] : []));
  const edited = profiles.find(({ metadata }) => metadata.name === name);
  if (name !== undefined && !edited)
    return <Empty title={`There is no profile ${name}`}>It was deleted, or it was never applied.</Empty>;
  const usual = pools.find(({ nodes = 0, name }) => nodes > 0 && name !== "master") ?? pools[0];
  const pool = search.get("pool") ?? usual?.name ?? "all nodes";
  const go = (to: string): void => navigate(to);
  const chooser = (
    <>
      <FormGroup label="Pool" fieldId="design-pool">
        <FormSelect
          id="design-pool"
          value={pool}
          isDisabled={edited !== undefined}
          onChange={(_, value) => go(`/design?pool=${encodeURIComponent(value)}`)}
        >
          {(pools.length > 0 ? pools : [{ name: pool, nodes: undefined }]).map(({ name, nodes }) => (
            <FormSelectOption
              key={name}
              value={name}
              label={nodes === undefined ? name : `${name}, ${nodes} ${nodes === 1 ? "node" : "nodes"}`}
            />
          ))}
        </FormSelect>
      </FormGroup>
      <FormGroup label="Profile" fieldId="design-profile">
        <FormSelect
          id="design-profile"
          value={name ?? ""}
          onChange={(_, value) => go(value === "" ? "/design" : `/design/${encodeURIComponent(value)}`)}
        >
          <FormSelectOption value="" label="A new one" />
          {profiles.map(({ metadata }) => (
            <FormSelectOption key={metadata.name} value={metadata.name} label={`Edit ${metadata.name}`} />
          ))}
        </FormSelect>
      </FormGroup>
    </>
  );
  return (
    <>
      <SourceProblems sources={sources} what={what} />
      <DesignOfPool key={`${pool} ${name}`} pool={pool} edited={edited} chooser={chooser} />
    </>
  );
}

interface DesignOfPoolProps {
  readonly pool: string;
  readonly edited: PerformanceProfile | undefined;
  readonly chooser: React.ReactNode;
}

function DesignOfPool({ pool, edited, chooser }: DesignOfPoolProps) {
  const topicPool = useEditedPool(pool, edited);
  const topic = useTopic(`design/${topicPool}` as "design/");
  const { hello } = useConnection();
  const version = hello?.version ?? "";
  const cluster = useMemo((): DesignCluster => {
    const rows = [...topic.rows.values()];
    const { hasPools = false, rollsOut = false } = rows.find(({ facts }) => facts)?.facts ?? {};
    const objects = rows.flatMap(({ object }) => (object ? [object] : []));
    return { objects, hasPools, rollsOut, version, now: new Date().toISOString() };
  }, [topic.rows, version]);
  const client = useDomain(cluster);
  const { start, problem } = useStart({ client, cluster, pool: topicPool, edited, isReady: topic.isLoaded });
  const [review, setReview] = useState<{ yaml: string; profile: PerformanceProfile }>();
  if (problem !== undefined) return <Failed attempt={`propose a profile for pool ${pool}`} message={problem} />;
  if (!topic.isLoaded || !start) return <Loading label="Loading the hardware of the pool" rows={8} />;
  if (review) return <Review {...review} pool={topicPool} cluster={cluster} onBack={() => setReview(undefined)} />;
  return (
    <DesignBoard
      client={client}
      cluster={cluster}
      pool={topicPool}
      start={start}
      isEdit={edited !== undefined}
      chooser={chooser}
      onReview={(yaml, profile) => setReview({ yaml, profile })}
    />
  );
}

/** The pool that an existing profile is for, by its node selector. */
function useEditedPool(pool: string, edited: PerformanceProfile | undefined): string {
  const { rows } = useTopic(`design/${pool}` as "design/");
  const pools = useMemo(
    () =>
      [...rows.values()].flatMap(({ object }) =>
        object?.kind === "MachineConfigPool" ? [object as MachineConfigPool] : [],
      ),
    [rows],
  );
  if (!edited) return pool;
  const found = poolFor(edited.spec?.nodeSelector ?? {}, pools);
  return found.type === "pool" ? (found.pool.metadata.name ?? pool) : pool;
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
    metadata: { name: `${pool.replaceAll(/[^a-z0-9-]+/g, "-")}-latency` },
    spec: { cpu: { reserved: "", isolated: "" }, nodeSelector: { [`node-role.kubernetes.io/${pool}`]: "" } },
  };
  const proposal = await client.call("propose", { pool, choices: fullChoices(empty, usualChoices) });
  return proposal.type === "proposed" ? proposal.profile : empty;
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
