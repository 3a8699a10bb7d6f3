import type { Client, WriteOptions } from "../../cluster/kube/client.ts";

/** Allows reads and dry runs; rejects every other request. */
export function readOnlyClient(client: Client): Client {
  const dry = (action: string, options: Pick<WriteOptions, "dryRun"> | undefined): void => {
    if (options?.dryRun !== true) throw new TypeError(`${action}: this command changes nothing`);
  };
  return {
    get: (of, name, options) => client.get(of, name, options),
    list: (of, options) => client.list(of, options),
    watch: (of, options) => client.watch(of, options),
    async create(of, object, options) {
      dry(`create ${of.kind}`, options);
      return client.create(of, object, options);
    },
    async update(of, object, options) {
      dry(`update ${of.kind}`, options);
      return client.update(of, object, options);
    },
    async patch(of, name, patch, options) {
      dry(`patch ${of.kind}`, options);
      return client.patch(of, name, patch, options);
    },
    async delete(of, name, options) {
      dry(`delete ${of.kind}`, options);
      return client.delete(of, name, options);
    },
    async raw(method, path, body, options) {
      if (method !== "GET") throw new TypeError(`${method} ${path}: this command changes nothing`);
      return client.raw(method, path, body, options);
    },
  };
}
