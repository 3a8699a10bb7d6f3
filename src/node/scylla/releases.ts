import { ifThere } from "../../cluster/kube/api-error.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { type ConfigMap, readRelease, type Release } from "../../domain/scylla/gate/release.ts";
import { databaseContainer, releaseName, tuningNamespace } from "../../domain/scylla/names.ts";
import { reportName } from "../../domain/scylla/on-node/node-report.ts";
import type { ScyllaPod } from "../../domain/scylla/scylla-pod.ts";

/**
 * The ConfigMaps that were read for pods of the node. Each is read once for each container of its database, and again after it was
 * written: a user may have deleted it since, and a watch would show an agent the ConfigMaps of all nodes.
 */
export class Releases {
  readonly #client: Client;
  /** By uid of the pod. */
  readonly #read = new Map<string, { readonly container: string; readonly found: ConfigMap | undefined }>();
  /** Read once, and again after a ConfigMap was written. */
  #report: { readonly found: ConfigMap | undefined } | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async of(pods: readonly ScyllaPod[], signal: AbortSignal): Promise<ReadonlyMap<string, Release>> {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid ?? ""));
    for (const uid of this.#read.keys()) if (!uids.has(uid)) this.#read.delete(uid);
    for (const { metadata, status } of pods) {
      const { uid = "", namespace } = metadata;
      const { containerID: container = "" } =
        status?.containerStatuses?.find(({ name }) => name === databaseContainer) ?? {};
      if (this.#read.get(uid)?.container === container) continue;
      const found = await ifThere(this.#client.get(kinds.configMap, releaseName(uid), { namespace, signal }));
      this.#read.set(uid, { container, found });
    }
    return new Map([...this.#read].flatMap(([uid, { found }]) => (found ? [[uid, readRelease(found)] as const] : [])));
  }

  /** What was last reported about the node. */
  async report(
    node: { readonly name: string; readonly uid: string },
    signal: AbortSignal,
  ): Promise<ConfigMap | undefined> {
    const at = { namespace: tuningNamespace, signal };
    this.#report ??= { found: await ifThere(this.#client.get(kinds.configMap, reportName(node), at)) };
    return this.#report.found;
  }

  /** As it was read; for comparison with what is wanted. */
  observed(name: string | undefined): ConfigMap | undefined {
    if (this.#report?.found?.metadata.name === name) return this.#report?.found;
    for (const [uid, { found }] of this.#read) if (releaseName(uid) === name) return found;
    return undefined;
  }

  /** To be read again. */
  forget(): void {
    this.#read.clear();
    this.#report = undefined;
  }
}
