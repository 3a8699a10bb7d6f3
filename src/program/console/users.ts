import type { Client } from "../../cluster/kube/client.ts";
import { isApiError } from "../../cluster/kube/api-error.ts";
import { bearer, staticCredentials } from "../../cluster/kube/connect/credentials.ts";
import type { HttpClient } from "../../cluster/kube/http-client.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { at } from "../../language/object/json.ts";
import { hashOf, type Sessions } from "./http/sessions.ts";
import type { UserCluster } from "./topics/topic-context.ts";
import { UserCaches } from "./user-caches.ts";
import { UserHub } from "./user-hub.ts";

/** One cluster of this console. */
export interface ConsoleCluster {
  readonly name: string;
  readonly client: HttpClient;
}

/** A user who signed in, with the rights of whom everything is read and written. */
export interface User {
  /** Never the secret itself. */
  readonly id: string;
  readonly name: string;
  readonly clusters: ReadonlyMap<string, UserCluster>;
}

export interface UsersOptions {
  /** The first one is shown first. */
  readonly clusters: readonly ConsoleCluster[];
  /** Links that sign in as the user of the clients; without them, users sign in with their own tokens of the cluster. */
  readonly sessions: Sessions | undefined;
  readonly clock: Clock;
}

/** How long the API server's word on a token holds. Every request of the token is checked by the API server all the same. */
const knownMs = 60_000;
const mostUsers = 200;

/** Who sent a request, and what each user watches. */
export class Users {
  readonly #options: UsersOptions;
  readonly #users = new Map<string, { readonly user: User; until: number; readonly hubs: Map<string, UserHub> }>();

  constructor(options: UsersOptions) {
    this.#options = options;
  }

  /** Undefined where the header names no user. Rejects if the API server cannot be asked. */
  async identify(authorization: string | undefined): Promise<User | undefined> {
    const [, secret] = /^Bearer ([\x21-\x7e]{1,20000})$/i.exec(authorization ?? "") ?? [];
    if (secret === undefined) return undefined;
    const { sessions, clusters, clock } = this.#options;
    if (sessions) return sessions.has(secret) ? this.#known("own", clusters) : undefined;
    const id = hashOf(secret);
    const known = this.#users.get(id);
    if (known && known.until > clock.monotonic()) return known.user;
    const credentials = staticCredentials(bearer(secret));
    const own = clusters.map(({ name, client }) => ({
      name,
      client: client.for({ ...client.connection, credentials }),
    }));
    return this.#known(id, own);
  }

  async #known(id: string, clusters: readonly ConsoleCluster[]): Promise<User | undefined> {
    const { clock } = this.#options;
    const known = this.#users.get(id);
    if (known && known.until > clock.monotonic()) return known.user;
    const name = await userName(clusters[0]?.client);
    if (name === undefined) {
      this.#forget(id);
      return undefined;
    }
    if (known) known.until = clock.monotonic() + knownMs;
    else this.#remember(id, name, clusters);
    return this.#users.get(id)?.user;
  }

  #remember(id: string, name: string, clusters: readonly ConsoleCluster[]): void {
    const { clock } = this.#options;
    for (const [other, { until, hubs }] of this.#users)
      if (hubs.size === 0 && (until < clock.monotonic() || this.#users.size >= mostUsers)) this.#users.delete(other);
    const own = clusters.map(({ name: cluster, client }): [string, UserCluster] => [
      cluster,
      { name: cluster, client, caches: new UserCaches(client, clock) },
    ]);
    const user = { id, name, clusters: new Map(own) };
    this.#users.set(id, { user, until: clock.monotonic() + knownMs, hubs: new Map() });
  }

  #forget(id: string): void {
    for (const hub of this.#users.get(id)?.hubs.values() ?? []) hub.close();
    this.#users.delete(id);
  }

  /** What a user watches in a cluster, by default the first. Undefined: there is no such cluster. */
  hub(user: User, cluster: string | undefined): UserHub | undefined {
    const own = this.cluster(user, cluster);
    const entry = this.#users.get(user.id);
    if (!own || !entry) return undefined;
    let hub = entry.hubs.get(own.name);
    if (!hub) {
      const { clock } = this.#options;
      const onIdle = (): void => void entry.hubs.delete(own.name);
      hub = new UserHub({ user: user.name, own, clusters: user.clusters, clock, onIdle });
      entry.hubs.set(own.name, hub);
    }
    return hub;
  }

  cluster(user: User, name: string | undefined): UserCluster | undefined {
    return user.clusters.get(name ?? this.#options.clusters[0]?.name ?? "");
  }

  close(): void {
    for (const id of this.#users.keys()) this.#forget(id);
  }
}

/** In the words of the API server. Undefined: it does not know the credentials. */
async function userName(client: Client | undefined): Promise<string | undefined> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} };
  try {
    const answer = await client?.raw("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review);
    const name = at(answer, "status", "userInfo", "username");
    return typeof name === "string" ? name : "";
  } catch (error) {
    if (!isApiError(error) || error.code === 0 || error.code >= 500) throw error;
    if (error.code === 401) return undefined;
    // Servers before 1.28 have no such review.
    return "";
  }
}
