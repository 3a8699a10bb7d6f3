import type { TLSSocket } from "node:tls";
import type { IncomingMessage } from "node:http";
import { isObject } from "../../../../language/object/json.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";

export type Access = { type: "allowed" } | { type: "unknown" } | { type: "denied"; message: string };

interface Requester {
  user: string;
  uid?: string | undefined;
  groups: string[];
}

const allowedMs = 300_000;
const deniedMs = 30_000;
const mostCached = 1000;

/** Authenticates readers of logs and authorizes them for `nodes/proxy`, as a kubelet does. */
export class LogAccess {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #known = new Map<string, { until: number; value: Promise<unknown> }>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async of(request: IncomingMessage, node: string): Promise<Access> {
    const requester = certified(request.socket as TLSSocket) ?? (await this.#bearer(request.headers.authorization));
    if (!requester) return { type: "unknown" };
    if (await this.#allows(requester, node)) return { type: "allowed" };
    const message = `Forbidden (user=${requester.user}, verb=get, resource=nodes, subresource(s)=[proxy])`;
    return { type: "denied", message };
  }

  async #bearer(authorization: string | undefined): Promise<Requester | undefined> {
    if (!authorization?.startsWith("Bearer ")) return undefined;
    const token = authorization.slice("Bearer ".length);
    return this.#cached(`token ${token}`, async () => {
      const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: {}, spec: { token } };
      const answer = await this.#client.raw("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review);
      const status = statusOf<{
        authenticated?: boolean;
        user?: { username: string; uid?: string; groups?: string[] };
      }>(answer);
      if (!status.authenticated || !status.user) return undefined;
      return { user: status.user.username, uid: status.user.uid, groups: status.user.groups ?? [] };
    });
  }

  async #allows({ user, uid, groups }: Requester, node: string): Promise<boolean> {
    return this.#cached(`access ${JSON.stringify([user, groups, node])}`, async () => {
      const resourceAttributes = { verb: "get", version: "v1", resource: "nodes", subresource: "proxy", name: node };
      const spec = { user, uid, groups, resourceAttributes };
      const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: {}, spec };
      const answer = await this.#client.raw("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review);
      return statusOf<{ allowed?: boolean }>(answer).allowed === true;
    });
  }

  /** Caches the answers of the API server as long as a kubelet does: allowed ones longer than denied ones. */
  async #cached<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const known = this.#known.get(key);
    if (known && now < known.until) return known.value as Promise<T>;
    if (this.#known.size >= mostCached) this.#known.clear();
    const fresh = { until: now + deniedMs, value: ask() };
    this.#known.set(key, fresh);
    try {
      const value = await fresh.value;
      if (value) fresh.until = now + allowedMs;
      return value;
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
  }
}

function statusOf<T extends object>(answer: unknown): Partial<T> {
  return isObject(answer) && isObject(answer["status"]) ? (answer["status"] as Partial<T>) : {};
}

/** The user of a client certificate that the cluster's authority signed. */
function certified(socket: TLSSocket): Requester | undefined {
  if (!socket.authorized) return undefined;
  const { CN, O } = socket.getPeerCertificate().subject ?? {};
  const user = Array.isArray(CN) ? CN[0] : CN;
  const groups = O === undefined ? [] : Array.isArray(O) ? O : [O];
  return user ? { user, groups: [...groups, "system:authenticated"] } : undefined;
}
