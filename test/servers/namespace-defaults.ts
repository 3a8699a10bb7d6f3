import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface NamespaceDefaultsOptions {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

/**
 * Stands in for two controllers of kube-controller-manager: creates the ServiceAccount `default` and the CA ConfigMap in
 * every namespace. Resolves when the existing namespaces have them.
 */
export async function createNamespaceDefaults(server: NamespaceDefaultsOptions): Promise<void> {
  const agent = new Agent({ ca: server.caPem, keepAlive: true });
  const send = async (method: string, path: string, body?: object): Promise<IncomingMessage> => {
    const sent = request(`${server.url}${path}`, {
      method,
      agent,
      signal: server.signal,
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    });
    sent.end(body && JSON.stringify(body));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  };
  const createDefaults = async (namespace: string): Promise<void> => {
    const data = { "ca.crt": server.caPem };
    for (const [plural, object] of [
      ["serviceaccounts", { metadata: { name: "default" } }],
      ["configmaps", { metadata: { name: "kube-root-ca.crt" }, data }],
    ] as const)
      (await send("POST", `/api/v1/namespaces/${namespace}/${plural}`, object)).resume();
  };
  const watch = await send(
    "GET",
    "/api/v1/namespaces?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
  );
  await new Promise<void>((resolve, reject) => {
    const createAll = async (): Promise<void> => {
      for await (const line of createInterface({ input: watch })) {
        const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name: string } } };
        if (type === "ADDED") await createDefaults(object.metadata.name);
        else if (type === "BOOKMARK") resolve();
      }
    };
    createAll().catch((error: unknown) => {
      if (!server.signal.aborted) reject(error);
    });
  });
}
