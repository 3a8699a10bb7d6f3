import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isForbidden } from "../../src/cluster/kube/api-error.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { scyllaNodeConfigKind } from "../../src/domain/scylla/api.ts";
import { agentAccess } from "../../src/domain/scylla/config/agent-access.ts";
import { type Release, releaseConfigMap } from "../../src/domain/scylla/gate/release.ts";
import { labelValue } from "../../src/domain/scylla/label-value.ts";
import { nodeReport } from "../../src/domain/scylla/on-node/node-report.ts";
import { agentServiceAccount, nodeLabel, releaseName, tuningNamespace } from "../../src/domain/scylla/names.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor, clientOfAccount, withToken } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { nodeConfig, nodeObject, scyllaPod } from "./objects.ts";

const place = { namespace: tuningNamespace };
const theirs = { namespace: "default" };

type Job = NonNullable<(typeof kinds.job)["object"]>;

/** `label` and `nodeName`: of the node that the Job says it tunes, and of the node that its pod runs on. */
function job(name: string, label: string | undefined, nodeName: string | undefined): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, ...(label === undefined ? {} : { labels: { [nodeLabel]: label } }) },
    spec: {
      template: {
        spec: {
          restartPolicy: "Never",
          ...(nodeName === undefined ? {} : { nodeName }),
          containers: [{ name: "perftune", image: "i" }],
        },
      },
    },
  };
}

/** What an attacker with the token of an agent's pod can do beyond the agent's own node. */
for (const variant of serverVariants())
  describe(
    `the agent of a Scylla node under its own account, on the ${variant.name} server`,
    { timeout: 120_000 },
    () => {
      let server: ServerUnderTest;
      let admin: HttpClient;
      let agent: HttpClient;

      beforeAll(async () => {
        server = await variant.start();
        admin = clientFor(server);
        await applyManifests(admin, [...foundation({ scylla: true }), ...agentAccess()]);
        for (const name of ["own", "other"]) await admin.create(kinds.node, nodeObject(name));
        agent = await agentOn("own");
        // A policy takes effect a moment after it is written.
        for (const write of [
          () => agent.create(kinds.configMap, configMap("early"), { ...theirs, dryRun: true }),
          () => agent.create(kinds.job, job("early", "other", "other"), { ...place, dryRun: true }),
        ])
          await eventually("the policies", () => isRefused(write()));
      });
      afterAll(() => server?.close());

      async function agentOn(node: string, pods = node): Promise<HttpClient> {
        const pod = {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: `agent-${pods}` },
          spec: { nodeName: node, serviceAccountName: agentServiceAccount, containers: [{ name: "c", image: "i" }] },
        };
        const { metadata } = await eventually("the pod", () => admin.create(kinds.pod, pod, place));
        const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: metadata.name, uid: metadata.uid };
        const request = {
          apiVersion: "authentication.k8s.io/v1",
          kind: "TokenRequest",
          metadata: {},
          spec: { boundObjectRef },
        };
        const at = { ...place, name: agentServiceAccount, subresource: "token" };
        const answer = await admin.create(kinds.tokenRequest as never, request as never, at);
        return withToken(server, (answer as { status: { token: string } }).status.token);
      }

      const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

      async function isRefused(write: Promise<unknown>): Promise<boolean> {
        return write.then(
          () => false,
          (error: unknown) => {
            if (isForbidden(error)) return true;
            throw error;
          },
        );
      }

      it("lets a database start, and writes no other ConfigMap", async () => {
        const { metadata } = await admin.create(kinds.pod, scyllaPod("database"), theirs);
        const pod = { metadata: { ...metadata, namespace: "default" } };
        const data = { irqCpus: "0", node: "own" };
        await agent.create(kinds.configMap, releaseConfigMap(pod, data), theirs);
        const written = await agent.get(kinds.configMap, releaseName(metadata.uid ?? ""), theirs);
        await agent.update(kinds.configMap, { ...written, data: { ...data, irqCpus: "1" } }, theirs);
        const mine = await admin.create(kinds.configMap, configMap("mine"), theirs);
        expect(await isRefused(agent.update(kinds.configMap, { ...mine, data: { node: "own" } }, theirs))).toBe(true);
        expect(await isRefused(agent.create(kinds.configMap, configMap("another"), theirs))).toBe(true);
        expect(await isRefused(agent.create(kinds.configMap, configMap("x-perftune-1"), theirs))).toBe(true);
        expect(await isRefused(agent.delete(kinds.configMap, "mine", theirs))).toBe(true);
      });

      it("opens no gate of another node: what it writes names its own, which the gate there ignores", async () => {
        const { metadata } = await admin.create(kinds.pod, scyllaPod("elsewhere", { nodeName: "other" }), theirs);
        const pod = { metadata: { ...metadata, namespace: "default" } };
        const write = (release: Release): Promise<unknown> =>
          agent.create(kinds.configMap, releaseConfigMap(pod, release), { ...theirs, dryRun: true });
        expect(await isRefused(write({ outcome: "tuned" }))).toBe(true);
        expect(await isRefused(write({ outcome: "tuned", node: "other" }))).toBe(true);
        await write({ outcome: "tuned", node: "own" });
        await admin.create(kinds.configMap, releaseConfigMap(pod, { outcome: "tuned", node: "other" }), theirs);
        const right = await admin.get(kinds.configMap, releaseName(metadata.uid ?? ""), theirs);
        expect(await isRefused(agent.update(kinds.configMap, { ...right, data: {} }, theirs))).toBe(true);
        const unbound = await clientOfAccount(server, tuningNamespace, agentServiceAccount);
        const forged = releaseConfigMap(pod, { node: "" });
        expect(await isRefused(unbound.create(kinds.configMap, forged, { ...theirs, dryRun: true }))).toBe(true);
      });

      it("reports about its own node alone", async () => {
        const config = await admin.create(scyllaNodeConfigKind, nodeConfig("cluster"));
        const reportOf = (node: string) => nodeReport([], config, { name: node, uid: `u-${node}` });
        await agent.create(kinds.configMap, reportOf("own"), { ...place, dryRun: true });
        expect(await isRefused(agent.create(kinds.configMap, reportOf("other"), { ...place, dryRun: true }))).toBe(
          true,
        );
      });

      it("creates Jobs of a node whose name is longer than a label", async () => {
        const name = `${"node.".repeat(20)}example`;
        await admin.create(kinds.node, nodeObject(name));
        const far = await agentOn(name, "far");
        await far.create(kinds.job, job("far", labelValue(name), name), place);
        expect(await isRefused(far.create(kinds.job, job("forged", "own", name), place))).toBe(true);
      });

      it("creates and deletes Jobs of its node", async () => {
        await agent.create(kinds.job, job("own", "own", "own"), place);
        const annotations = { "example.com/reason": "failed" };
        await agent.patch(kinds.job, "own", { type: "merge", patch: { metadata: { annotations } } }, place);
        await agent.delete(kinds.job, "own", place);
      });

      it.each<[string, string | undefined, string | undefined]>([
        ["of another node", "other", "other"],
        ["that is labelled for its node and runs on another", "own", "other"],
        ["that is labelled for another and runs on its node", "other", "own"],
        ["that any node may run", "own", undefined],
        ["without a label", undefined, "own"],
      ])("creates no Job %s", async (_, label, nodeName) => {
        expect(await isRefused(agent.create(kinds.job, job("forged", label, nodeName), place))).toBe(true);
      });

      it("changes and deletes no Job of another node, also not by calling it its own, and gives none away", async () => {
        await admin.create(kinds.job, job("theirs", "other", "other"), place);
        await admin.create(kinds.job, job("kept", "own", "own"), place);
        const labelled = (name: string, node: string): Promise<unknown> =>
          agent.patch(
            kinds.job,
            name,
            { type: "merge", patch: { metadata: { labels: { [nodeLabel]: node } } } },
            place,
          );
        const annotated = agent.patch(
          kinds.job,
          "theirs",
          { type: "merge", patch: { metadata: { annotations: { "example.com/x": "y" } } } },
          place,
        );
        expect(await isRefused(annotated)).toBe(true);
        expect(await isRefused(labelled("theirs", "own"))).toBe(true);
        expect(await isRefused(labelled("kept", "other"))).toBe(true);
        expect(await isRefused(agent.delete(kinds.job, "theirs", place))).toBe(true);
        expect((await admin.get(kinds.job, "theirs", place)).metadata.labels).toMatchObject({ [nodeLabel]: "other" });
      });

      it("writes no Job in another namespace, no status, and nothing with a token that names no node", async () => {
        expect(await isRefused(agent.create(kinds.job, job("x", "own", "own"), theirs))).toBe(true);
        const status = { type: "merge", patch: { status: { succeeded: 1 } } } as const;
        expect(await isRefused(agent.patch(kinds.job, "kept", status, { ...place, subresource: "status" }))).toBe(true);
        const unbound = await clientOfAccount(server, tuningNamespace, agentServiceAccount);
        expect(await isRefused(unbound.create(kinds.job, job("x", "own", "own"), place))).toBe(true);
        expect(await isRefused(unbound.create(kinds.job, job("x", "", ""), place))).toBe(true);
      });
    },
  );
