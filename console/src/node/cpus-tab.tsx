import { Alert } from "@patternfly/react-core";
import { useMemo } from "react";
import { Link } from "wouter";
import { type CpuSet, cpuSet } from "../../../src/language/cpu/cpu-set.ts";
import type { CacheText } from "../../../src/language/cpu/load-caches.ts";
import { parseCpuset } from "../../../src/language/cpu/kubernetes-cpuset.ts";
import { parseTopology } from "../../../src/language/cpu/topology-text.ts";
import type { CpusetsByRole } from "../../protocol/node.ts";
import type { Source } from "../../protocol/frames.ts";
import { CpuMap } from "../cpu-map/cpu-map.tsx";
import type { SharedCache } from "../cpu-map/machine-tree.ts";
import { profileRoles, roleNames, roleOfCpus, roles } from "../cpu-map/roles.ts";
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
    if (!topology) return undefined;
    const changes = changesOf(cpus);
    return {
      topology,
      caches: cpus?.caches?.map(cacheOf),
      sets: Object.fromEntries(sets),
      changing: cpuSet(changes.keys()),
      describe: (cpu: number) => (changes.has(cpu) ? [changes.get(cpu) ?? ""] : []),
    };
  }, [cpus]);
  // Two NodePools may have profiles of one name.
  const of = row?.pool ? `?pool=${encodeURIComponent(row.pool)}` : "";
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
            No PerformanceProfile of this cluster divides the CPUs of this node
            {cpus?.sets.isolated ? "; its kernel keeps some free." : "."}
            {row?.pool ? (
              <>
                {" "}
                <Link href={`/design${of}`}>Design one</Link> for its pool.
              </>
            ) : undefined}
          </>
        ) : (
          <>
            Divided by PerformanceProfile{" "}
            <Link href={`/design/${encodeURIComponent(cpus.profile)}${of}`}>{cpus.profile}</Link>.
          </>
        )}
      </p>
      {problems}
      <InForce cpus={cpus} />
      <CpuMap
        label={`CPUs of ${name}`}
        {...drawn}
        irq={cpus?.irq === undefined ? undefined : cpusOf(cpus.irq)}
        undivided={cpus?.profile === undefined && !cpus?.sets.isolated}
      />
    </>
  );
}

/** Whether the map shows what is, or what is wanted. */
function InForce({ cpus }: { readonly cpus: NodeData["cpus"] }) {
  if (cpus?.unreported)
    return (
      <Alert isInline component="p" variant="info" title="The map shows the sets that are wanted">
        The agent of this node does not report which are in force. An agent of this version does, where its Profile CRD
        has the field status.cpus.
      </Alert>
    );
  if (!cpus?.wanted) return undefined;
  const differing = roleNames.filter(
    (role) => (cpus.sets[role] ?? "") !== (cpus.wanted?.[role] ?? "") && role !== "scylla",
  );
  return (
    <Alert isInline component="p" variant="warning" title="The map shows the sets in force; the profile wants others">
      <ul className="attune-node-changes">
        {differing.map((role) => (
          <li key={role}>
            {roles[role].title}: <code>{cpus.sets[role] ?? "none"}</code>, wanted{" "}
            <code>{cpus.wanted?.[role] ?? "none"}</code>
          </li>
        ))}
      </ul>
      They change when the node has restarted with the new configuration of its pool: see{" "}
      <Link href="/rollout">Rollout</Link>. A dot marks the CPUs that get another set.
    </Alert>
  );
}

/** By CPU, what it is going to be. */
function changesOf(cpus: NodeData["cpus"]): ReadonlyMap<number, string> {
  if (!cpus?.wanted) return new Map();
  const rolesIn = (sets: CpusetsByRole) =>
    roleOfCpus(Object.fromEntries(profileRoles.map((role) => [role, cpusOf(sets[role] ?? "")])));
  const [now, next] = [rolesIn(cpus.sets), rolesIn(cpus.wanted)];
  return new Map(
    [...new Set([...now.keys(), ...next.keys()])].flatMap((cpu) => {
      const role = next.get(cpu);
      if (role === now.get(cpu)) return [];
      return [[cpu, `About to change: ${role ? roles[role].title : "in no set"}`] as const];
    }),
  );
}

function cpusOf(text: string): CpuSet {
  const read = parseCpuset(text);
  return read.type === "cpus" ? read.cpus : cpuSet([]);
}

function cacheOf({ level, size, cpus }: CacheText): SharedCache {
  return { level, sizeKiB: Number.parseInt(size, 10), cpus: cpusOf(cpus) };
}
