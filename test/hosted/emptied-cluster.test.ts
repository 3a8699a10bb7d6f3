import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { LeadershipLostError } from "../../src/cluster/runtime/leader/leader-gate.ts";
import { configMapKind } from "../../src/domain/hosted/control-plane-controller.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { hostedManifests } from "../../src/program/management/hosted-manifests.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { configMapOf } from "./cases.ts";
import { controlPlane, namespaceLike } from "./two-clusters.ts";

const inTuning = { namespace: tuningNamespace };

it("a hosted cluster that comes back empty gets its tuning again: its operator ends, and starts anew", async () => {
  const dir = await mkdtemp(join(tmpdir(), "attune-emptied-"));
  const start = (name: string, port = 0): ReturnType<typeof startServer> =>
    startServer({ dir: join(dir, name), port, storage: "memory" });
  const management = await start("management");
  let server = await start("hosted");
  const clients: HttpClient[] = [];
  const clientOf = async (name: string): Promise<HttpClient> => {
    const client = new HttpClient(await loadConnection({ kubeconfig: join(dir, name, "kubeconfig") }));
    clients.push(client);
    return client;
  };
  const stop = new AbortController();
  const ends: unknown[] = [];
  let running: Promise<void> | undefined;
  onTestFinished(async () => {
    stop.abort();
    await running;
    for (const client of clients) client.close();
    await Promise.all([management.close(), server.close()]);
    await rm(dir, { recursive: true, force: true });
  });

  const users = await clientOf("management");
  await users.create(kinds.namespace, namespaceLike(controlPlane));
  const annotations = { [keys.nodePool]: "clusters/np1" };
  const labels = { [keys.tunedConfig]: "true", [keys.nodePool]: "np1" };
  const data = { tuned: [{ tuned: "good", priority: 20 }] };
  const { metadata, ...content } = configMapOf({ name: "tuned-np1", labels, annotations, data });
  await users.create(configMapKind, { ...content, metadata: { ...metadata, namespace: controlPlane, uid: undefined } });

  const hosted = await clientOf("hosted");
  const fill = async (): Promise<void> => {
    await applyManifests(hosted, hostedManifests("documented"));
    const node = { name: "a", labels: { "kubernetes.io/os": "linux", [keys.nodePool]: "np1" } };
    await hosted.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: node });
  };
  const tuned = async (): Promise<void> => {
    await eventually("the node has its profile", async () => {
      const { spec } = await hosted.get(profileKind, "a", inTuning);
      return spec.config.tunedProfile === "good-profile";
    });
  };
  await fill();
  // As its pod: what ends is started again.
  const ofOperator = await clientOf("hosted");
  running = (async () => {
    while (!stop.signal.aborted)
      await runOperator({
        client: ofOperator,
        controlPlane: { client: users, namespace: controlPlane },
        image: "attune:test",
        agentServiceAccount: "attune-agent",
        version: "test",
        release: "4.22.0",
        features: { machineConfigPools: true, clusterOperators: false },
        signal: stop.signal,
      }).catch((error: unknown) => void ends.push(error));
  })();
  await tuned();

  await server.close();
  server = await start("hosted", Number(new URL(server.url).port));
  await expect(hosted.get(tunedKind, "good-566a8046", inTuning)).rejects.toMatchObject({ code: 404 });
  await fill();
  await tuned();
  expect(ends[0]).toBeInstanceOf(LeadershipLostError);
  await hosted.delete(tunedKind, "good-566a8046", inTuning);
  await eventually("the Tuned again", () => hosted.get(tunedKind, "good-566a8046", inTuning));
});
