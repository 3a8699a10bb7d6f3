import type { KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Services } from "../request/context.ts";
import { StatusError } from "../status-error.ts";
import type { Change } from "../storage/store.ts";
import { ensure, writeInBackground } from "./server-writes.ts";

const ACCOUNT = "default";
const ROOT = "kube-root-ca.crt";

/**
 * Creates what pods need in every namespace: the ServiceAccount `default` and the ConfigMap with the server's CA. Both
 * writes start before the creation of the namespace is answered, and both objects are created again when deleted.
 */
export class NamespaceDefaults {
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
    const ensureDefaults = (namespaces: Iterable<string>): void => {
      for (const namespace of namespaces) this.#ensureDefaults(namespace);
    };
    const stops = [
      store.watch("namespaces", (changes) => ensureDefaults(changes.filter(isNew).map(({ key }) => key))),
      store.watch("serviceaccounts", (changes) => ensureDefaults(namespacesWithout(changes, ACCOUNT))),
      store.watch("configmaps", (changes) => ensureDefaults(namespacesWithout(changes, ROOT))),
    ];
    ensureDefaults(Array.from(store.list("namespaces"), ({ key }) => key));
    return () => {
      for (const stop of stops) stop();
    };
  }

  #ensureDefaults(namespace: string): void {
    const found = this.#services.reader.head("namespaces", namespace);
    if (!found || found.metadata.deletionTimestamp) return;
    for (const object of [account(namespace), root(namespace, this.#caPem)])
      writeInBackground(this.#log, async () => {
        try {
          await ensure(this.#services, object);
        } catch (error) {
          // The namespace was deleted, or a client created the object, while a webhook was called.
          if (!(error instanceof StatusError)) throw error;
          this.#log.debug({ error: error.message, namespace }, "create namespace defaults failed");
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
