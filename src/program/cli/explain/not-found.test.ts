import { expect, it } from "vitest";
import { ApiError } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { readOnlyClient } from "../../gather/read-only-client.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { testCluster } from "../testing/test-cluster.ts";
import { exampleTuned } from "../up/worked-example.ts";
import { explainOn } from "./explain.ts";

it("says of a name that is not there what there is, for a node, a Tuned and a pod", async () => {
  const { client, signal } = await testCluster();
  const asked = async (kind: string, name: string, by: Client = client): Promise<string> => {
    const terminal = new RecordingTerminal();
    return explainOn({ client: by, kind, name, options: {}, terminal, signal }).then(
      () => terminal.stdout,
      (error: Error) => error.message,
    );
  };
  expect(await asked("node", "x")).toBe('nodes "x" not found; there are none');
  for (let at = 1; at <= 7; at++)
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: `worker-${at}` } });
  await client.create(tunedKind, exampleTuned());
  const elsewhere = { apiVersion: "v1", kind: "Pod", metadata: { name: "db-0" } };
  const spec = { containers: [{ name: "a", image: "a" }], automountServiceAccountToken: false };
  await client
    .create(
      kinds.serviceAccount,
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } },
      {
        namespace: tuningNamespace,
      },
    )
    .catch(() => undefined);
  await client.create(kinds.pod, { ...elsewhere, spec }, { namespace: tuningNamespace });

  expect(await asked("node", "quiet")).toBe(
    'nodes "quiet" not found; there are: worker-1, worker-2, worker-3, worker-4, worker-5 and 2 more',
  );
  expect(await asked("node", "worker-8")).toContain("; did you mean worker-");
  expect(await asked("tuned", "x")).toContain("; there are: ");
  expect(await asked("pod", "db-0")).toContain(`; there is one elsewhere: -n ${tuningNamespace}`);
  expect(await asked("pod", "db-1")).toContain("; kubectl get pods -A lists all");

  const restricted: Client = {
    ...readOnlyClient(client),
    list(of, options) {
      if (of.kind !== "Pod" || options?.namespace !== undefined) return client.list(of, options);
      throw new ApiError({ code: 403, reason: "Forbidden", message: "no pods of all namespaces for you" });
    },
  };
  expect(await asked("pod", "db-0", restricted)).toContain("; kubectl get pods -A lists all");
});
