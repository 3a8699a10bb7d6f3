import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { clientFor, withToken } from "../servers/client-for.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { eventually } from "./eventually.ts";

/** A client with the token of an agent's pod on this node: what an attacker on the node has. */
export async function agentOn(server: ServerUnderTest, node: string): Promise<HttpClient> {
  const admin = clientFor(server);
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `agent-${node}`, namespace },
    spec: { nodeName: node, serviceAccountName: agentServiceAccount, containers: [{ name: "c", image: "i" }] },
  };
  const { metadata } = await eventually("the pod", () => admin.create(kinds.pod, pod, { namespace }));
  return withToken(
    server,
    await agentToken(server, { apiVersion: "v1", kind: "Pod", name: metadata.name, uid: metadata.uid }),
  );
}

/** Without a reference the token names no node. */
export async function agentToken(server: ServerUnderTest, boundObjectRef?: object): Promise<string> {
  const spec = boundObjectRef ? { boundObjectRef } : {};
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec };
  const path = { namespace, name: agentServiceAccount, subresource: "token" };
  const answer = await clientFor(server).create(kinds.tokenRequest as never, request as never, path);
  return (answer as { status: { token: string } }).status.token;
}
