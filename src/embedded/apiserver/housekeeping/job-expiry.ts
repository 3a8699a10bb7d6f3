import type { Job } from "kubernetes-types/batch/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Services } from "../request/context.ts";
import { remove } from "../request/delete.ts";
import type { Resource } from "../resource.ts";
import { StatusError } from "../status-error.ts";
import { Deadlines } from "./deadlines.ts";
import { writeInBackground, serverRequest } from "./server-writes.ts";

const jobs = "jobs.batch";
const controller = "system:serviceaccount:kube-system:ttl-after-finished-controller";

/** Deletes finished Jobs with their pods after ttlSecondsAfterFinished. */
export function expireJobs(services: Services, log: Log): () => void {
  const { store, reader, clock, registry } = services;
  const deadlines = new Deadlines(clock, (key) => writeInBackground(log, () => expire(key)));
  for (const { key } of store.list(jobs)) consider(key);
  const unwatch = store.watch(jobs, (changes) => {
    for (const { key } of changes) consider(key);
  });
  return () => {
    unwatch();
    deadlines.stop();
  };

  function consider(key: string): void {
    const job = reader.get(jobs, key);
    const due = job && expiryOf(job);
    if (due === undefined) deadlines.delete(key);
    else deadlines.set(key, due);
  }

  async function expire(key: string): Promise<void> {
    const uid = reader.get(jobs, key)?.metadata.uid;
    if (uid === undefined) return;
    const context = serverRequest(services, registry.find("batch", "v1", "jobs") as Resource, key, controller);
    try {
      await remove(context, { propagationPolicy: "Foreground", preconditions: { uid } });
    } catch (error) {
      // A client has deleted or replaced it.
      if (!(error instanceof StatusError && (error.code === 404 || error.code === 409))) throw error;
    }
  }
}

function expiryOf(object: KubeObject): number | undefined {
  const { spec, status } = object as Job;
  const lifetime = spec?.ttlSecondsAfterFinished;
  if (lifetime === undefined || object.metadata.deletionTimestamp) return undefined;
  const ended = status?.conditions?.find(
    ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
  );
  const at = Date.parse(ended?.lastTransitionTime ?? "");
  return Number.isNaN(at) ? undefined : at + lifetime * 1000;
}
