import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { firstBootNamespace } from "../../src/domain/rollout/first-boot/invitation.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { fetchPayload } from "../../src/node/on-node/first-boot/fetch-payload.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { foundation } from "../../src/program/cli/install/manifests.ts";
import { issueToken } from "../../src/program/cli/node-token/issue-token.ts";
import { issuerRole } from "../../src/program/operator/first-boot/objects.ts";
import { endpointKeys, firstBootGrants, issuerGrants } from "../../src/program/operator/first-boot/rbac.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import { operatorServiceAccount } from "../../src/program/operator/rbac.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { recording, type RecordedRequest, unused } from "../node-tuning/recorded-requests.ts";
import { clientFor, clientOfAccount, withToken } from "../servers/client-for.ts";
import { emptyServers, type ServerUnderTest } from "../servers/server-under-test.ts";

const place = { namespace: firstBootNamespace };
const keys = { namespace: endpointKeys.namespace };

for (const variant of emptyServers())
  describe(`rights for first boots, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let admin: HttpClient;
    let issuer: HttpClient;
    const requests: RecordedRequest[] = [];
    const issued: RecordedRequest[] = [];
    const stop = new AbortController();
    let running: Promise<void> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      admin = clientFor(server);
      await applyManifests(admin, foundation({ mode: "plain", firstBoot: "https://127.0.0.1" }));
      await eventually("pools are served", () => admin.list(machineConfigPoolKind));
      await admin.create(kinds.serviceAccount, account, place);
      await admin.create(kinds.roleBinding, binding, place);
      issuer = await clientOfAccount(server, firstBootNamespace, "provisioner");
      const own = await clientOfAccount(server, systemNamespace, operatorServiceAccount);
      await new Promise<void>((onReady, reject) => {
        running = runOperator({
          client: recording(own, (request) => requests.push(request)),
          signal: stop.signal,
          image: "attune:test",
          agentServiceAccount: "attune-agent",
          version: "1.2.3",
          firstBoot: { address: "127.0.0.1:0", onReady },
        });
        running.catch(reject);
      });
    });
    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    it("suffice for an issuer and the operator, from the token to the node", async () => {
      await eventually("pool worker", () => admin.get(machineConfigPoolKind, "worker"));
      const client = recording(issuer, (request) => issued.push(request));
      const given = { node: "a", pool: "worker", lifeMs: 600_000, now: Date.now() };
      await issueToken(client, given);
      const file = await issueToken(client, given);
      await eventually("answered", async () => {
        const fetched = await fetchPayload(file, "key", new AbortController().signal);
        return fetched.type === "nothing";
      });
      // A token for first boots is no token for the API server.
      await expect(withToken(server, file.token).list(kinds.node)).rejects.toThrow(/Unauthorized/i);
      await admin.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "a" } });
      await gone("the invitation", () => admin.get(kinds.secret, "node.a", place));
      const { metadata } = await admin.get(kinds.node, "a");
      expect(metadata.labels).toHaveProperty("node-role.kubernetes.io/worker");
    });

    it("are all needed", () => {
      const lists = requests
        .filter(({ verb }) => verb === "watch")
        .map((request): RecordedRequest => ({ ...request, verb: "list" }));
      expect(unused(firstBootGrants, [...requests, ...lists])).toEqual([]);
      const named = issued.map((request) => ({ ...request, name: request.name ?? "node" }));
      expect(unused(issuerGrants, named)).toEqual([]);
    });

    it.each([
      ["read invitations", () => issuer.list(kinds.secret, place)],
      ["read the keys of the endpoint", () => issuer.get(kinds.secret, endpointKeys.name, keys)],
      ["replace the keys of the endpoint", () => issuer.delete(kinds.secret, endpointKeys.name, keys)],
      ["create nodes", () => issuer.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name: "x" } })],
    ])("do not let an issuer %s", async (_, attempt) => {
      await expect(attempt()).rejects.toThrow(/forbidden/);
    });
  });

const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "provisioner", ...place } };
const binding = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: "provisioner", ...place },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: issuerRole },
  subjects: [{ kind: "ServiceAccount", name: "provisioner", ...place }],
} satisfies KubeObject as never;
