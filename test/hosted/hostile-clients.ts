import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import type { TwoClusters } from "./two-clusters.ts";

const writes = new Set<PropertyKey>(["create", "update", "patch", "delete"]);
const reads = new Set<PropertyKey>(["get", "list", "watch", "raw"]);

/** Called before and after each request: it may throw. */
interface Around {
  readonly before?: (isWrite: boolean) => void;
  readonly after?: (isWrite: boolean) => void;
}

function around(client: HttpClient, { before, after }: Around): HttpClient {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (!writes.has(name) && !reads.has(name)) return value.bind(target) as unknown;
      if (name === "watch")
        return (...args: unknown[]): unknown => {
          before?.(false);
          return Reflect.apply(value, target, args);
        };
      return async (...args: unknown[]): Promise<unknown> => {
        before?.(writes.has(name));
        const answer: unknown = await Reflect.apply(value, target, args);
        after?.(writes.has(name));
        return answer;
      };
    },
  });
}

/** Two clusters as a process sees them that is killed after its n-th write. */
export function killedAfter(clusters: TwoClusters, most: number, kill: () => void): TwoClusters {
  let count = 0;
  const counted: Around = {
    before: (isWrite) => {
      if (isWrite && count >= most) throw new Error("the process is dead");
    },
    after: (isWrite) => {
      if (isWrite && ++count === most) kill();
    },
  };
  return withClients(clusters, counted, counted);
}

/** Two clusters of which the hosted one can be cut off. */
export function cuttable(clusters: TwoClusters): TwoClusters & { isCut: boolean } {
  const cut = {
    ...withClients(clusters, {}, { before: () => cut.isCut && refuse() }),
    isCut: false,
  };
  return cut;
}

function refuse(): never {
  throw new Error("connect ECONNREFUSED");
}

function withClients(clusters: TwoClusters, management: Around, hosted: Around): TwoClusters {
  return {
    ...clusters,
    management: { ...clusters.management, client: around(clusters.management.client, management) },
    hosted: { ...clusters.hosted, client: around(clusters.hosted.client, hosted) },
  };
}
