import { request } from "node:https";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, untyped } from "../../src/cluster/kube/kinds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import {
  audience,
  firstBootNamespace,
  invitationName,
  nodeAccount,
  serverName,
} from "../../src/domain/rollout/first-boot/invitation.ts";
import type { TokenFile } from "../../src/domain/rollout/first-boot/token-file.ts";
import { agentServiceAccount } from "../../src/program/agent/rbac.ts";
import { file, withFiles } from "../machine-config-rollout/rollout-cluster.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { FirstBootCluster } from "./first-boot-cluster.ts";

const accept = "application/vnd.coreos.ignition+json;version=3.5.0";

interface Answer {
  readonly code: number;
  readonly text: string;
}

/** One request, with whatever headers an attacker likes. */
function ask(
  token: TokenFile,
  { path = `/config/${token.pool}`, method = "GET", key = "one", ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const given = { accept, authorization: `Bearer ${token.token}`, "attune-first-boot-key": key, ...headers };
  const options = { method, headers: given, ca: token.certificateAuthority, servername: serverName, agent: false };
  return new Promise((resolve, reject) => {
    request(new URL(path, token.server), options, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ code: response.statusCode ?? 0, text }));
    })
      .on("error", reject)
      .end();
  });
}

const code = async (...of: Parameters<typeof ask>): Promise<number> => (await ask(...of)).code;

describe("the endpoint for first boots (machine-config W-21)", () => {
  let cluster: FirstBootCluster;
  let config: string;
  let ended: () => Promise<void>;

  beforeAll(async () => {
    [cluster, ended] = await FirstBootCluster.open();
    await cluster.apply("50-base", withFiles(file("/etc/secret.conf", "s3cret")));
    config = await cluster.rendered("50-base");
  });
  afterAll(() => ended());

  /** A token of the API server, for any account. */
  async function tokenOf(namespace: string, name: string, spec: object): Promise<string> {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec };
    const accounts = untyped("v1", "ServiceAccount", "serviceaccounts", true);
    const answer = await cluster.admin.create(accounts, body, { namespace, name, subresource: "token" });
    return (answer as unknown as { status: { token: string } }).status.token;
  }

  test("answers the machine that used a token first, again and again, and no other", async () => {
    const token = await cluster.token("a");
    const first = await ask(token);
    expect(first.code).toBe(200);
    expect(first.text).toContain(config);
    expect(await code(token)).toBe(200);
    const stolen = await ask(token, { key: "two" });
    expect(stolen).toMatchObject({ code: 409, text: expect.stringContaining("was used by another client") });
    expect(stolen.text).not.toContain("s3cret");
    await eventually("an event", async () =>
      (await cluster.events()).some((event) => event.startsWith("FirstBootTokenReused: the token of node a")),
    );
  });

  test("answers a client without a key once, as Ignition is", async () => {
    const token = await cluster.token("ignition");
    const headers = { key: "" };
    expect([await code(token, headers), await code(token, headers)]).toEqual([200, 409]);
  });

  test("refuses 2.x of Ignition, other pools, methods and paths, and keeps the token good", async () => {
    const token = await cluster.token("b");
    const old = "application/vnd.coreos.ignition+json;version=2.2.0";
    expect(await code(token, { accept: old })).toBe(406);
    expect(await code(token, { path: "/config/master" })).toBe(403);
    expect(await code(token, { path: "/config/../worker" })).toBe(404);
    expect(await code(token, { path: "/" })).toBe(404);
    expect(await code(token, { method: "POST" })).toBe(405);
    expect(await code(token, { method: "HEAD" })).toBe(405);
    expect(await code(token)).toBe(200);
  });

  test("refuses tokens of agents, of other audiences, of no invitation and with a changed node", async () => {
    const token = await cluster.token("c");
    const used = (text: string): Promise<number> => code({ ...token, token: text });
    const uid = (await cluster.invitation("c"))?.metadata.uid;
    const boundObjectRef = { apiVersion: "v1", kind: "Secret", name: invitationName("c"), uid };
    expect(await used(await tokenOf(tuningNamespace, agentServiceAccount, {}))).toBe(401);
    expect(await used(await tokenOf(tuningNamespace, agentServiceAccount, { audiences: [audience] }))).toBe(401);
    expect(await used(await tokenOf(firstBootNamespace, nodeAccount, { audiences: [audience] }))).toBe(401);
    expect(await used(await tokenOf(firstBootNamespace, nodeAccount, { boundObjectRef }))).toBe(401);
    const [head = "", body = "", signature = ""] = token.token.split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as { exp: number };
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString("base64url");
    expect(await used(`${head}.${forged}.${signature}`)).toBe(401);
    expect(await used("x")).toBe(401);
    expect(await code(token, { authorization: "" })).toBe(401);
    expect(await code(token)).toBe(200);
  });

  test("refuses a token that has expired, whatever the API server says, and takes it a moment before", async () => {
    const token = await cluster.token("late");
    const { exp } = JSON.parse(Buffer.from(token.token.split(".")[1] ?? "", "base64url").toString()) as { exp: number };
    const left = exp * 1000 - Date.now();
    try {
      cluster.aheadMs = left + 1000;
      expect(await code(token)).toBe(401);
      cluster.aheadMs = left - 60_000;
      expect(await code(token)).toBe(200);
    } finally {
      cluster.aheadMs = 0;
    }
  });

  test("refuses a token that was replaced, taken back, or is of a node that has joined", async () => {
    const replaced = await cluster.token("d");
    const next = await cluster.token("d");
    // Another replica might know it: it is new.
    await eventually("put off", async () => (await code(replaced)) === 503);
    const expectRefused = async (token: TokenFile): Promise<void> => {
      cluster.aheadMs = 120_000;
      await eventually("refused", async () => (await code(token)) === 401);
      cluster.aheadMs = 0;
    };
    await expectRefused(replaced);
    expect(await code(next)).toBe(200);
    await cluster.admin.delete(kinds.secret, invitationName("d"), { namespace: firstBootNamespace });
    await expectRefused(next);
    const joined = await cluster.token("e");
    await cluster.join("e");
    await eventually("refused", async () => [409, 503].includes(await code(joined)));
    await eventually("its invitation is gone", async () => (await cluster.invitation("e")) === undefined);
  });

  test("gives one of many clients with the same token its config, and the next node after them", async () => {
    const token = await cluster.token("f");
    const other = await cluster.token("g");
    const answers = await Promise.all(
      Array.from({ length: process.env["ATTUNE_LONG"] ? 1000 : 100 }, (_, index) =>
        ask(token, { key: String(index) }).catch(() => ({ code: 0, text: "" })),
      ),
    );
    const codes = answers.map((answer) => answer.code);
    expect(codes.filter((one) => one === 200)).toHaveLength(1);
    expect(codes.filter((one) => ![0, 200, 409, 503].includes(one))).toEqual([]);
    await eventually("answered", async () => (await code(other)) === 200);
  });

  test("drops huge headers, and answers others while requests are half sent", async () => {
    const token = await cluster.token("h");
    const { hostname, port } = new URL(token.server);
    const huge = await ask(token, { "x-huge": "x".repeat(1024 * 1024) }).catch(() => ({ code: 0, text: "" }));
    expect([0, 431]).toContain(huge.code);
    const ca = token.certificateAuthority;
    const half = await Promise.all(
      Array.from(
        { length: 100 },
        () =>
          new Promise<ReturnType<typeof connect>>((resolve, reject) => {
            const socket = connect({ host: hostname, port: Number(port), ca, servername: serverName }, () => {
              socket.write("GET /config/worker HTTP/1.1\r\nauthor");
              resolve(socket);
            });
            socket.on("error", reject);
          }),
      ),
    );
    expect(await code(token)).toBe(200);
    for (const socket of half) socket.destroy();
  });

  test("is trusted by its own authority only", async () => {
    const token = await cluster.token("i");
    await expect(
      ask({ ...token, certificateAuthority: cluster.admin.connection.cluster.certificateAuthority ?? "" }),
    ).rejects.toThrow(/certificate/);
  });
});
