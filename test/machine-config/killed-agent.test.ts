import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConnection } from "../../src/cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind } from "../../src/domain/machine-config/api.ts";
import { annotations, drainRequest, updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { pendingPath } from "../../src/node/on-node/machine-config/config-store.ts";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import { Program, type Run } from "../../src/program/cli/testing/program.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { ScratchNode } from "./testing/scratch-node.ts";

const kills = process.env["ATTUNE_LONG"] ? 50 : 3;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log("not run: kill -9 of an agent's process (programs of another root need root)");

const folder = "/etc/own.d";
const files = 12;
const configOf = (text: string): object => ({
  config: {
    ignition: { version: "3.5.0" },
    storage: {
      files: Array.from({ length: files }, (_, index) => ({
        path: `${folder}/${index}`,
        mode: 0o644,
        contents: { source: `data:,${text}-${index}` },
      })),
    },
  },
});

/** Of the update that is under way: an agent notes it before it asks. */
function isAsked(node: ScratchNode): boolean {
  return node.has(pendingPath) && node.read(pendingPath).includes('"asked":');
}

test.skipIf(!isRoot)(
  "an agent that is killed at any moment of an update finishes it, and the node is asked for one restart",
  { timeout: 30_000 + kills * 30_000 },
  async () => {
    const dir = await mkdtemp(join(tmpdir(), "attune-killed-"));
    const server = await startServer({ dir, storage: "memory" });
    const admin = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
    const attune = await Program.build();
    const node = new ScratchNode();
    onTestFinished(async () => {
      await attune.remove();
      admin.close();
      await server.close();
      node.remove();
      await rm(dir, { recursive: true, force: true });
    });
    await applyManifests(admin, foundation({ mode: "standalone" }));
    await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
    const annotate = (values: Record<string, string>): Promise<unknown> =>
      admin.patch(kinds.node, "n", { type: "merge", patch: { metadata: { annotations: values } } });
    const update = async () => updateOf((await admin.get(kinds.node, "n")).metadata);
    const start = (): Run =>
      attune.start(`agent --node n --root ${node.root} --machine-config --kubeconfig ${server.kubeconfig}`.split(" "));
    /** What the operator does: grants every drain and its end. */
    const grant = (): Promise<unknown> =>
      eventually("the agent's request", async () => {
        const { desiredDrain, lastAppliedDrain } = await update();
        if (desiredDrain !== lastAppliedDrain) await annotate({ [annotations.lastAppliedDrain]: desiredDrain });
        return desiredDrain !== "" && desiredDrain !== lastAppliedDrain;
      });

    for (let round = 1; round <= kills; round++) {
      const name = `rendered-${round}`;
      const metadata = { name };
      await admin.create(machineConfigKind, { ...machineConfigKind, metadata, spec: configOf(name) });
      const before = node.askedToRestart;
      let agent = start();
      await annotate({ [annotations.desiredConfig]: name });
      await eventually("a drain is asked for", async () => (await update()).desiredDrain === drainRequest(name));
      // Journal, pending config and files change about 50 times in one update; some rounds kill it when it is over.
      const places = [folder, "/var/lib/attune", "/var/lib/attune/machine-config", "/usr"];
      const moment = Math.ceil((round * 60) / kills);
      const reached = node.changes(
        moment,
        places,
        eventually("it is over", async () => isAsked(node)),
      );
      await grant();
      await reached;
      await agent.stop("SIGKILL");

      agent = start();
      await agent.printed(/restarting the node|the node was asked to restart/, "stderr");
      // One that was killed between the note and the request leaves a node that is not asked for five minutes.
      await eventually("the node is asked to restart", async () => isAsked(node));
      await agent.stop("SIGKILL");
      node.boot();
      agent = start();
      await grant();
      await eventually(`the node has ${name}`, async () => {
        const { current, state } = await update();
        return current === name && state === "Done";
      });
      await agent.stop("SIGKILL");
      expect(node.askedToRestart - before, `round ${round}, killed after ${moment} changes`).toBeLessThanOrEqual(1);
      for (let index = 0; index < files; index++) expect(node.read(`${folder}/${index}`)).toBe(`${name}-${index}`);
    }
  },
);
