import type { Client, KindRef } from "./client.ts";

/** One client for objects of several clusters: requests about these kinds go to another one. */
export function routedClient(client: Client, others: ReadonlyMap<KindRef["kind"], Client>): Client {
  const of = ({ kind }: KindRef): Client => others.get(kind) ?? client;
  return {
    get: async (kind, ...rest) => of(kind).get(kind, ...rest),
    list: async (kind, ...rest) => of(kind).list(kind, ...rest),
    create: async (kind, ...rest) => of(kind).create(kind, ...rest),
    update: async (kind, ...rest) => of(kind).update(kind, ...rest),
    patch: async (kind, ...rest) => of(kind).patch(kind, ...rest),
    delete: async (kind, ...rest) => of(kind).delete(kind, ...rest),
    watch: (kind, ...rest) => of(kind).watch(kind, ...rest),
    raw: async (...request) => client.raw(...request),
  };
}
