import {
  type CertificateLives,
  decodeCertificates,
  encodeCertificates,
  nextCertificates,
  renewalTime,
  sameCertificates,
} from "../../../cluster/certificate/serving-certificates.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { endpointConfigMap, firstBootNamespace, serverName } from "../../../domain/rollout/first-boot/invitation.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { endpointKeys } from "./rbac.ts";

export interface EndpointOptions {
  /** Of the leader. */
  readonly client: Client;
  /** Of its keys. */
  readonly secrets: Informer;
  /** The URL at which new nodes reach the endpoint; undefined as long as it is not known. */
  readonly server: () => string | undefined;
  /** Called once the address is published. */
  readonly onPublished?: (() => void) | undefined;
  readonly clock: Clock;
  readonly log?: Log | undefined;
}

const day = 24 * 60 * 60 * 1000;
/** Longest life of a token: its file has the authority of the day on which it was issued. */
const longestTokenMs = day;
const lives: CertificateLives = { authorityMs: 3650 * day, servingMs: 90 * day, settleMs: longestTokenMs };
const fieldManager = "attune-operator";
const longestPauseMs = day;
const place = { namespace: firstBootNamespace };

/** Keeps the certificate of the endpoint fresh, and publishes its authority and its address for users that issue tokens. */
export function endpointController({ client, secrets, clock, log, ...options }: EndpointOptions): Controller {
  let published: { readonly text: string; readonly authority: string; readonly at: number } | undefined;
  return new Controller({
    name: "first-boot-endpoint",
    clock,
    log,
    sources: [source(secrets, () => [endpointKeys.name])],
    async reconcile(_key, { signal }) {
      const secret = secrets.get(`${endpointKeys.namespace}/${endpointKeys.name}`);
      const server = options.server();
      if (!secret || server === undefined) return { requeueAfterMs: 1000 };
      const current = decodeCertificates(dataOf(secret));
      const publishedAt = published && published.authority === current?.["ca.crt"] ? published.at : undefined;
      const wanted = { current, authority: "attune-first-boot-ca", names: [serverName] };
      const next = nextCertificates({ ...wanted, publishedAt, now: clock.now(), lives });
      if (!sameCertificates(current, next)) {
        const { resourceVersion } = secret.metadata;
        const patch = { metadata: { resourceVersion }, data: encodeCertificates(next) };
        const { name, namespace } = endpointKeys;
        await client.patch(kinds.secret, name, { type: "merge", patch }, { namespace, fieldManager, signal });
        // What was written is published and served once it is read back.
        return {};
      }
      const data = { server, "ca.crt": next["ca.crt"] };
      const text = JSON.stringify(data);
      if (published?.text !== text) {
        const patch = { type: "merge", patch: { data } } as const;
        await client.patch(kinds.configMap, endpointConfigMap, patch, { ...place, fieldManager, signal });
        published = { text, authority: data["ca.crt"], at: clock.now() };
        options.onPublished?.();
      }
      const dueMs = renewalTime(next, { lives, publishedAt: published.at }) - clock.now();
      return { requeueAfterMs: Math.min(Math.max(dueMs, 1000), longestPauseMs) };
    },
  });
}

/** The data of a Secret. */
export function dataOf(secret: KubeObject | undefined): Readonly<Record<string, string>> | undefined {
  return (secret as { data?: Record<string, string> } | undefined)?.data;
}
