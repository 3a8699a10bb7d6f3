import type { KubeObject } from "../../language/object/meta.ts";
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
  spec?: { nodeName?: string; serviceAccountName?: string; containers?: { name: string; command?: string[] }[] };
  status?: { phase?: string; qosClass?: string; containerStatuses?: ContainerStatus[] };
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

/** Whether the database has CPUs of its own, so that interrupts can stay away from them. */
export function isTunable({ status }: ScyllaPod): boolean {
  return status?.qosClass === "Guaranteed";
}
