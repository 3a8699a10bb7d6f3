import type { KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Services } from "../request/context.ts";
import { StatusError } from "../status-error.ts";
import type { Change } from "../storage/store.ts";
import { ensure, inBackground } from "./server-writes.ts";

const ACCOUNT = "default";
const ROOT = "kube-root-ca.crt";

/**
 * What pods of a namespace cannot do without: the account they run under, and the certificate by which they know the
 * server. Both are on their way to disk before whoever made the namespace hears that it is there, and come back when
 * they are deleted.
 */
export class NamespaceFurniture {
  readonly #services: Services;
  readonly #caPem: string;
  readonly #log: Log;

  constructor(services: Services, caPem: string, log: Log) {
    this.#services = services;
    this.#caPem = caPem;
    this.#log = log;
  }

  start(): () => void {
    const { store } = this.#services;
    const furnish = (namespaces: Iterable<string>): void => {
      for (const namespace of namespaces) this.#furnish(namespace);
    };
    const stops = [
      store.watch("namespaces", (changes) => furnish(changes.filter(isNew).map(({ key }) => key))),
      store.watch("serviceaccounts", (changes) => furnish(namespacesWithout(changes, ACCOUNT))),
      store.watch("configmaps", (changes) => furnish(namespacesWithout(changes, ROOT))),
    ];
    furnish(Array.from(store.list("namespaces"), ({ key }) => key));
    return () => {
      for (const stop of stops) stop();
    };
  }

  #furnish(namespace: string): void {
    const found = this.#services.reader.head("namespaces", namespace);
    if (!found || found.metadata.deletionTimestamp) return;
    for (const object of [account(namespace), root(namespace, this.#caPem)])
      inBackground(this.#log, async () => {
        try {
          await ensure(this.#services, object);
        } catch (error) {
          // It went, or somebody else made it, while a webhook was asked.
          if (!(error instanceof StatusError)) throw error;
          this.#log.debug({ error: error.message, namespace }, "a namespace could not be furnished");
        }
      });
  }
}

const isNew = ({ before, after }: Change): boolean => !before && after !== undefined;

function namespacesWithout(changes: readonly Change[], name: string): string[] {
  return changes.flatMap(({ key, after }) =>
    !after && key.endsWith(`/${name}`) ? [key.slice(0, key.indexOf("/"))] : [],
  );
}

const account = (namespace: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: ACCOUNT, namespace },
});

const root = (namespace: string, caPem: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: ROOT,
    namespace,
    annotations: {
      "kubernetes.io/description":
        "The authority that signed the certificate of this server, for pods that connect to it.",
    },
  },
  data: { "ca.crt": caPem },
});
