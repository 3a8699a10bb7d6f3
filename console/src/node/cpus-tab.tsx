import { useMemo } from "react";
import { Link } from "wouter";
import { type CpuSet, cpuSet } from "../../../src/language/cpu/cpu-set.ts";
import type { CacheText } from "../../../src/language/cpu/load-caches.ts";
import { parseCpuset } from "../../../src/language/cpu/kubernetes-cpuset.ts";
import { parseTopology } from "../../../src/language/cpu/topology-text.ts";
import type { Source } from "../../protocol/frames.ts";
import { CpuMap } from "../cpu-map/cpu-map.tsx";
import type { SharedCache } from "../cpu-map/machine-tree.ts";
import { Empty, SourceProblems } from "../parts/states.tsx";
import type { NodeData } from "./node-data.ts";

interface CpusTabProps {
  readonly name: string;
  readonly data: NodeData;
  readonly jobs: Source | undefined;
}

/** Where the CPUs of a node are, and what each is for. */
export function CpusTab({ name, data: { cpus, row }, jobs }: CpusTabProps) {
  const drawn = useMemo(() => {
    const topology = parseTopology(cpus?.topology);
    const sets = Object.entries(cpus?.sets ?? {}).map(([role, text]) => [role, cpusOf(text)] as const);
    return topology && { topology, caches: cpus?.caches?.map(cacheOf), sets: Object.fromEntries(sets) };
  }, [cpus]);
  const problems = jobs ? (
    <SourceProblems sources={new Map([["Job", jobs]])} what={{ Job: "Jobs for databases" }} />
  ) : undefined;
  if (!drawn)
    return (
      <Empty
        title="Hardware is unknown"
        command={`kubectl get profiles.tuned.openshift.io -A --field-selector metadata.name=${name}`}
      >
        No agent has reported it, or another operator's Profile CRD drops the field.
      </Empty>
    );
  return (
    <>
      <p className="attune-node-cpus">
        {cpus?.profile === undefined ? (
          <>
            No PerformanceProfile divides the CPUs of this node.
            {row?.pool ? (
              <>
                {" "}
                <Link href={`/design?pool=${encodeURIComponent(row.pool)}`}>Design one</Link> for its pool.
              </>
            ) : undefined}
          </>
        ) : (
          <>
            Divided by PerformanceProfile{" "}
            <Link href={`/design/${encodeURIComponent(cpus.profile)}`}>{cpus.profile}</Link>.
          </>
        )}
      </p>
      {problems}
      <CpuMap
        label={`CPUs of ${name}`}
        {...drawn}
        irq={cpus?.irq === undefined ? undefined : cpusOf(cpus.irq)}
        undivided={cpus?.profile === undefined}
      />
    </>
  );
}

function cpusOf(text: string): CpuSet {
  const read = parseCpuset(text);
  return read.type === "cpus" ? read.cpus : cpuSet([]);
}

function cacheOf({ level, size, cpus }: CacheText): SharedCache {
  return { level, sizeKiB: Number.parseInt(size, 10), cpus: cpusOf(cpus) };
}
