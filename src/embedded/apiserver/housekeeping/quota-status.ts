import type { ResourceQuota } from "kubernetes-types/core/v1.js";
import { equal } from "../../../language/object/json.ts";
import { formatQuantity } from "../../../language/object/quantity.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { collectionUsing } from "../quota/resource-usage.ts";
import type { Services } from "../request/context.ts";
import { update } from "../request/update.ts";
import type { Resource } from "../resource.ts";
import { StatusError } from "../status-error.ts";
import { serverRequest, writeInBackground } from "./server-writes.ts";

const QUOTAS = "resourcequotas";
const USER = "system:serviceaccount:kube-system:resourcequota-controller";

/** A burst of writes is counted once. */
const intervalMs = 100;

/** Reports in the status of every ResourceQuota how much is used. */
export function reportQuotaStatus(services: Services, log: Log): () => void {
  const { store, registry, clock, quotas } = services;
  const watched = new Map<string, () => void>();
  const changed = new Set<string>();
  let stopTimer: (() => void) | undefined;

  const schedule = (namespace: string): void => {
    changed.add(namespace);
    stopTimer ??= clock.after(intervalMs, () => {
      stopTimer = undefined;
      const namespaces = [...changed];
      changed.clear();
      for (const quota of namespaces.flatMap((one) => quotas.quotasIn(one))) report(quota);
    });
  };
  const follow = (collection: string): void => {
    if (watched.has(collection)) return;
    const stop = store.watch(collection, (changes) => {
      for (const { key } of changes) {
        const namespace = key.slice(0, key.indexOf("/"));
        if (changed.has(namespace) || quotas.quotasIn(namespace).length === 0) continue;
        schedule(namespace);
      }
    });
    watched.set(collection, stop);
  };
  const report = (quota: ResourceQuota): void => {
    for (const name of Object.keys(quota.spec?.hard ?? {})) follow(collectionUsing(name));
    const { hard } = quota.spec ?? {};
    const used = Object.fromEntries([...quotas.used(quota)].map(([name, amount]) => [name, formatQuantity(amount)]));
    const status = hard ? { hard, used } : {};
    if (!equal(quota.status ?? {}, status)) writeInBackground(log, () => write(quota, status));
  };
  const write = async (quota: ResourceQuota, status: object): Promise<void> => {
    const { name, namespace } = quota.metadata ?? {};
    const context = serverRequest(services, registry.find("", "v1", QUOTAS) as Resource, `${namespace}/${name}`, USER);
    try {
      const value = structuredClone({ ...quota, status }) as never;
      await update({ ...context, subresource: "status" }, { value, duplicates: [] });
    } catch (error) {
      // The quota was deleted or changed in the meantime; its change is counted next.
      if (!(error instanceof StatusError)) throw error;
      log.debug({ error: error.message, quota: name, namespace }, "write status of quota failed");
    }
  };

  follow(QUOTAS);
  for (const { key } of store.list(QUOTAS)) schedule(key.slice(0, key.indexOf("/")));
  return () => {
    stopTimer?.();
    for (const stop of watched.values()) stop();
  };
}
