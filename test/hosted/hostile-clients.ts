import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import type { TwoClusters } from "./two-clusters.ts";

const requests = new Set<PropertyKey>(["create", "update", "patch", "delete", "get", "list", "watch", "raw"]);

/** `check` may throw, before each request. */
function checked(client: HttpClient, check: () => void): HttpClient {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        if (requests.has(name)) check();
        return Reflect.apply(value, target, args);
      };
    },
  });
}

/** Two clusters of which the hosted one can be cut off. */
export function cuttable(clusters: TwoClusters): TwoClusters & { isCut: boolean } {
  const cut = {
    ...clusters,
    hosted: { ...clusters.hosted, client: checked(clusters.hosted.client, () => cut.isCut && refuse()) },
    isCut: false,
  };
  return cut;
}

function refuse(): never {
  throw new Error("connect ECONNREFUSED");
}
