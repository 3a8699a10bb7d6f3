import type { CpuSet } from "../../language/cpu/cpu-set.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { integerOf, parseQuantity } from "../../language/object/quantity.ts";
import { databaseContainer } from "./names.ts";

const typeLabel = "scylla-operator.scylladb.com/pod-type";
const databaseType = "scylladb-node";

interface ContainerStatus {
  name: string;
  containerID?: string;
  ready?: boolean;
  state?: { running?: { startedAt?: string } };
}

/** What is read of a database's pod. */
export interface ScyllaPod extends KubeObject {
  spec?: {
    nodeName?: string;
    serviceAccountName?: string;
    containers?: {
      name: string;
      image?: string;
      command?: string[];
      resources?: { limits?: Record<string, string> };
    }[];
  };
  status?: {
    phase?: string;
    qosClass?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: ContainerStatus[];
  };
}

/** The labels of databases' pods. */
export const scyllaPodLabels: Readonly<Record<string, string>> = { [typeLabel]: databaseType };

/** Selects them at the API server. */
export const scyllaPodSelector = `${typeLabel}=${databaseType}`;

/** Whether a pod is a database: it has the label, and the container that runs it. */
export function isScyllaPod({ metadata, spec }: ScyllaPod): boolean {
  return (
    metadata.labels?.[typeLabel] === databaseType &&
    spec?.containers?.some(({ name }) => name === databaseContainer) === true
  );
}

/**
 * Whether CPUs of a container are the database's own: the kubelet's CPU manager gives a container as many as its limit, if that is a whole
 * number. Every other container runs on all CPUs that no container has for itself.
 */
export function areOwn(cpus: CpuSet, { spec }: ScyllaPod): boolean {
  const limit = spec?.containers?.find(({ name }) => name === databaseContainer)?.resources?.limits?.["cpu"];
  const whole = limit === undefined ? undefined : integerOf(parseQuantity(limit));
  return whole !== undefined && cpus.length > 0 && cpus.length <= whole;
}

/** Whether the database may have CPUs of its own, so that interrupts can stay away from them. */
export function isTunable({ status }: ScyllaPod): boolean {
  return status?.qosClass === "Guaranteed";
}
