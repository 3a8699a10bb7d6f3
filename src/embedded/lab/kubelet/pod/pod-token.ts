import { bearer, type Authentication, type Credentials } from "../../../../cluster/kube/connect/credentials.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { parseTime } from "../../../../language/object/time.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";

export interface PodTokenOptions {
  /** Acts as the kubelet of the pod's node. */
  client: Client;
  namespace: string;
  pod: { name: string; uid: string };
  serviceAccount: string;
  audiences?: readonly string[] | undefined;
  /** Default 3607, the value that the API server injects into pods. */
  expirationSeconds?: number | undefined;
  clock: Clock;
}

interface Known {
  readonly token: string;
  readonly renewAt: number;
}

/** The token of a pod's ServiceAccount, bound to the pod: requested on first use, and renewed after 80 % of its lifetime. */
export class PodToken implements Credentials {
  readonly #options: PodTokenOptions;
  #known: Known | undefined;
  /** The last one that was issued. */
  #last: string | undefined;
  #request: Promise<Known> | undefined;
  #revoked = false;

  constructor(options: PodTokenOptions) {
    this.#options = options;
  }

  async current(): Promise<Authentication> {
    return bearer(await this.token());
  }

  async token(): Promise<string> {
    const { clock } = this.#options;
    if (this.#revoked) throw new Error("use the pod's token: its container was killed");
    if (this.#known && clock.now() < this.#known.renewAt) return this.#known.token;
    this.#request ??= this.#requestToken().finally(() => {
      this.#request = undefined;
    });
    try {
      this.#known = await this.#request;
    } catch (error) {
      // A kubelet leaves the old token in the pod when it gets no new one, so that the API server refuses the pod.
      if (this.#last === undefined) throw error;
      return this.#last;
    }
    this.#last = this.#known.token;
    return this.#last;
  }

  reject(): boolean {
    this.#known = undefined;
    return true;
  }

  /** Later uses fail: the container was killed. */
  revoke(): void {
    this.#revoked = true;
    this.#known = undefined;
    this.#last = undefined;
  }

  async #requestToken(): Promise<Known> {
    const { client, namespace, pod, serviceAccount, audiences, expirationSeconds = 3607, clock } = this.#options;
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: {},
      spec: {
        audiences: [...(audiences ?? [])],
        expirationSeconds,
        boundObjectRef: { apiVersion: "v1", kind: "Pod", ...pod },
      },
    };
    const target = { namespace, name: serviceAccount, subresource: "token" };
    const from = clock.now();
    const { status } = await client.create(kinds.tokenRequest, request, target);
    if (!status?.token) throw new Error(`request a token of ${namespace}/${serviceAccount}: the answer has none`);
    const until = parseTime(status.expirationTimestamp) ?? from + expirationSeconds * 1000;
    return { token: status.token, renewAt: from + (until - from) * 0.8 };
  }
}
