import { Label, Progress } from "@patternfly/react-core";
import { useMemo } from "react";
import { Link } from "wouter";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { CpuMap } from "../cpu-map/cpu-map.tsx";
import { AnswerLine } from "../parts/answer-line.tsx";
import { useTopic } from "../stream/use-topic.ts";
import { type AppliedProfile, hasApplied, marksOf } from "./applied-profile.ts";
import type { DesignCluster } from "./cluster-objects.ts";
import { setsOf } from "./cpu-fields.ts";
import { hardwareOf } from "./hardware.ts";

interface ProfileRolloutProps {
  readonly profile: PerformanceProfile;
  readonly pool: string;
  readonly cluster: DesignCluster;
  readonly applied: AppliedProfile;
}

/** How far an applied profile has come: the map of each node turns colour once the node has the profile. */
export function ProfileRollout({ profile, pool, cluster, applied }: ProfileRolloutProps) {
  const { rows } = useTopic("fleet");
  const { nodes } = useMemo(() => hardwareOf(cluster.objects), [cluster]);
  const sets = useMemo(() => setsOf(profile), [profile]);
  const marks = useMemo(() => marksOf(cluster.objects), [cluster]);
  const { name = "" } = profile.metadata;
  const members = nodes.map((node) => {
    const row = rows.get(node.name);
    const mark = marks.get(node.name);
    // Nodes of a NodePool may be in another cluster than the page shows.
    const isHealthy = row ? row.state === "As wanted" : cluster.designed !== undefined;
    const isDone = isHealthy && mark !== undefined && hasApplied(node.name, mark, applied);
    return { ...node, isDone, state: row?.state === "As wanted" ? "Not yet" : row?.state };
  });
  const address = pool.split("/").map(encodeURIComponent).join("/");
  const done = members.filter(({ isDone }) => isDone).length;
  return (
    <>
      <AnswerLine
        view="Rollout of a profile"
        answer={`${name}: ${done} of ${members.length} nodes have it`}
        actions={
          <Link href={`/rollout/${address}`}>{`Rollout of ${cluster.designed ? "NodePool" : "pool"} ${pool}`}</Link>
        }
      />
      <Progress
        value={members.length === 0 ? 0 : Math.round((done / members.length) * 100)}
        title={`Nodes with ${name}`}
        aria-label={`Nodes with ${name}`}
      />
      <ul className="design-rollout">
        {members.map(({ name: node, topology, state, isDone }) => (
          <li key={node}>
            <h2>
              {node} <Label color={isDone ? "green" : "grey"}>{isDone ? "Has it" : (state ?? "Unknown")}</Label>
            </h2>
            {topology ? (
              <CpuMap
                label={`CPUs of ${node}`}
                topology={topology}
                sets={isDone ? sets : (applied.former ?? nothing)}
                undivided={!isDone && applied.former === undefined}
              />
            ) : (
              <p>Hardware is unknown.</p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const nothing = {};
